/** Pieces of markup that the tables and the parts of the page share. */
import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** Markup as text without its indentation, which is a third of a page. No part of the page is waited for. */
export function textOf(markup: Html | string): string {
  if (markup instanceof Promise) throw new Error('a part of the page is not there yet');
  return markup.toString().replaceAll(/\s*\n\s*/g, '\n');
}

/** In the largest unit that gives at least 2, such as `5 h`. */
export function duration(ms: number): string {
  const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000 };
  const fits = ([, unitMs]: [string, number]) => Math.round(ms / unitMs) >= 2;
  const [name, unitMs] = Object.entries(units).find(fits) ?? ['s', 1_000];
  return ms < 1_000 ? '<1 s' : `${Math.round(ms / unitMs)} ${name}`;
}

/**
 * A time in UTC, `null` for no time. A script adds the local time to its title.
 *
 * @param today a day that is not named. Without it, the time has its day and seconds
 */
export function time(ms: number | null | undefined, today?: string): Html | null {
  if (ms === null || ms === undefined) return null;
  const iso = new Date(ms).toISOString();
  const exact = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  const brief = exact.slice(today === iso.slice(0, 10) ? 11 : 0, 16);
  return html`<time datetime="${iso}" title="${exact}"
    >${today === undefined ? exact : brief}</time
  >`;
}

/** A text beside another one. In a column of lines, it has a line of its own. */
export function small(text: Html | string): Html {
  return html`<small>${text}</small> `;
}

export function link(href: string | null | undefined, content: Html | string): Html | string {
  return href === null || href === undefined ? content : html`<a href="${href}">${content}</a>`;
}

/** The address of the page with a filter. It is relative, so that it works below a path of a proxy, too. */
export function addressOf(filter: Readonly<Record<string, string>>): string {
  return `./?${String(new URLSearchParams(filter))}`;
}
