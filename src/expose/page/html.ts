/** Pieces of markup that the parts of the page share. */
import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** Markup as text. No part of the page is waited for. */
export function textOf(markup: Html): string {
  if (markup instanceof Promise) throw new Error('a part of the page is not there yet');
  return markup.toString();
}

export const none = html`<span class="none">–</span>`;

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

/** The day of a time in UTC, such as `2026-02-03`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** A time in UTC, with its day if that is another one than `today`. A script shows it in local time if asked. */
export function time(ms: number, today: string): Html {
  const iso = new Date(ms).toISOString();
  const text = iso.startsWith(today) ? iso.slice(11, 16) : iso.slice(0, 16).replace('T', ' ');
  const exact = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  return html`<time datetime="${iso}" title="${exact}">${text}</time>`;
}

/** A time in UTC with seconds. */
export function exactTime(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time class="exact" datetime="${iso}"
    >${iso.slice(0, 19).replace('T', ' ')} UTC</time
  >`;
}

/** A name that comes from outside. Its writing direction does not affect the text around it. */
export function id(name: string): Html {
  return html`<bdi class="id">${name}</bdi>`;
}

export function tag(kind: string, text: string, href: string | null = null): Html {
  return href === null
    ? html`<span class="tag ${kind}">${text}</span>`
    : html`<a class="tag ${kind}" href="${href}">${text}</a>`;
}

/** The address of the page with a filter. It is relative, so that it works below a path of a proxy, too. */
export function addressOf(filter: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(filter).toString();
  return `./${search === '' ? '' : `?${search}`}`;
}
