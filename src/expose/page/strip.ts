/** The parts of a launch as a strip: a cell for each part of the table, so that the eye finds what stops it. */
import { html } from 'hono/html';
import type { Texts } from '../../model/texts/texts.ts';
import { stripMarks, type StripCell } from '../launch-text.ts';
import { withTimes, type Html } from './html.ts';

/**
 * The sentence of a cell is for assistive technology, and for the pointer. Empty, and so no markup, for a launch that is not
 * judged.
 *
 * @param today the day that times do not name
 */
export function strip(cells: readonly StripCell[], today: string, { say }: Texts): Html | '' {
  if (cells.length === 0) return '';
  return html`<ul class="strip" role="list">
    ${cells.map(({ name, room, state, text }) => {
      const [symbol, word] = stripMarks[state];
      const sentence = word === '' ? text : say('{text}: {more}', { text: say(word), more: text });
      return html`<li class="${state}">
        <span aria-hidden="true"><i>${name}</i> <b>${symbol} ${room}</b></span>
        <span class="said">${withTimes(sentence, today)}</span>
      </li>`;
    })}
  </ul>`;
}
