/** Pieces of markup that the parts of the page (`page/`) and the cells of tables share. */
import { html } from 'hono/html';
import type { Texts } from '../../model/texts/texts.ts';

export type Html = ReturnType<typeof html>;

/**
 * Markup as text without its indentation, which is a third of a page. A text that is compacted already stays the same.
 *
 * @throws Error for a part of the page that is still a promise: nothing of a page is waited for
 */
export function compactMarkup(markup: Html | string): string {
  if (markup instanceof Promise) throw new Error('a part of the page is not there yet');
  return markup.toString().replaceAll(/\n\s*/g, '\n');
}

/**
 * A time in UTC. `null`, and so no markup, for no time. The script of the page says instead how long ago that is, and adds the
 * local time to the title.
 */
export function time(ms: number | null | undefined): Html | null {
  if (ms === null || ms === undefined) return null;
  const iso = new Date(ms).toISOString();
  const text = iso.replace('T', ' ');
  return html`<time datetime="${iso}" title="${text.slice(0, 19)} UTC"
    >${text.slice(0, 16)} UTC</time
  >`;
}

/** A sentence in which each time, such as `2026-02-03T14:05Z` or `2026-02-03T14:05:00.000Z`, is a `<time>` of the page. */
export function withTimes(text: string): Html {
  const parts = text.split(/(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}\.\d{3})?Z)/);
  return html`${parts.map((part, i) => (i % 2 === 1 ? time(Date.parse(part)) : part))}`;
}

/** The time since which something is so. The script of the page writes instead for how long. */
export function since(ms: number, { say }: Texts): Html {
  const sentence = withTimes(say('since {time}', { time: new Date(ms).toISOString() }));
  const forTime = say('for {time}', { time: '{time}' });
  return html`<span data-for="${forTime}">${sentence}</span>`;
}

/** A smaller text beside another one. In a column of lines, it has a line of its own. */
export function small(text: Html | string): Html {
  return html`<small>${text}</small> `;
}

/** The content in a link; without an address, the content alone. */
export function link(href: string | null | undefined, content: Html | string): Html | string {
  return href === null || href === undefined ? content : html`<a href="${href}">${content}</a>`;
}
