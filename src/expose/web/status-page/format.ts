/** Times in the form that people read. */
import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** At most the two largest units, such as `3 h 12 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joined(`${hours} h`, minutes % 60, 'min');
  return joined(`${Math.floor(hours / 24)} d`, hours % 24, 'h');
}

function joined(larger: string, smaller: number, unit: string): string {
  return smaller === 0 ? larger : `${larger} ${smaller} ${unit}`;
}

/** In the largest unit that gives at least 2, such as `5 h`. */
export function rounded(ms: number): string {
  const units: readonly [name: string, unitMs: number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
  ];
  const [name, unitMs] = units.find(([, each]) => Math.round(ms / each) >= 2) ?? ['s', 1_000];
  return `${Math.round(ms / unitMs)} ${name}`;
}

/** `2026-02-03 14:05:00 UTC`. */
function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** An exact time. A script shows it in local time if the reader asks for that. */
export function exactTime(ms: number): Html {
  return html`<time class="exact" datetime="${new Date(ms).toISOString()}">${utc(ms)}</time>`;
}

/** The time since or until an event. Shows the exact time on hovering. */
export function moment(ms: number, nowMs: number): Html {
  const text = ms > nowMs ? `in ${wholeSeconds(ms - nowMs)}` : `${wholeSeconds(nowMs - ms)} ago`;
  return html`<time datetime="${new Date(ms).toISOString()}" title="${utc(ms)}">${text}</time>`;
}

function wholeSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1_000)} s` : duration(ms);
}
