/**
 * The parts of a launch as a strip on the page: a cell for each part of `launchParts`, so that the eye finds what stops the
 * launch. `launch-row.ts` shows it.
 */
import { html } from 'hono/html';
import type { JudgedPart } from '../../model/launches/judge-launch.ts';
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { launchParts } from '../../model/launches/parts/parts.ts';
import { numberText, type Texts } from '../../model/texts/texts.ts';
import { partText } from '../launch-text.ts';
import { withTimes, type Html } from './html.ts';

/**
 * What a part says about a launch: a symbol, so that colour is not the only difference, and a word. `absent`: the part does
 * not apply, or is not asked for.
 */
const marks = {
  critical: ['!', 'blocks'],
  low: ['!', 'warns'],
  unknown: ['?', 'not known'],
  tight: ['▾', 'tight'],
  fine: ['', 'fine'],
  absent: ['', ''],
} as const;

/**
 * The strip of a launch. The sentence of a cell is for assistive technology, and for the pointer. Empty, and so no markup, for
 * a launch that is not judged.
 */
export function strip(launch: EvaluatedLaunch, texts: Texts): Html | '' {
  if (launch.unjudged !== null) return '';
  return html`<ul class="strip" role="list">
    ${launchParts.map(({ name }) => partCell(name, launch, texts))}
  </ul>`;
}

/** The cell of a part, such as `! sold out`, with its sentence. A part that the launch does not have has a dash. */
function partCell(partName: string, launch: EvaluatedLaunch, texts: Texts): Html {
  const { say } = texts;
  const name = texts.word(partName);
  const judged = launch.parts.find(({ part }) => part.name === partName);
  const [mark, room] = markAndRoom(judged, launch, texts);
  const text =
    judged === undefined
      ? say('{what}: does not apply', { what: name })
      : partText(judged, launch, texts);
  const [symbol, word] = marks[mark];
  const sentence = word === '' ? text : say('{text}: {more}', { text: say(word), more: text });
  return html`<li class="${mark}">
    <span aria-hidden="true"><i>${name}</i> <b>${symbol} ${room}</b></span>
    <span class="said">${withTimes(sentence)}</span>
  </li>`;
}

/**
 * The mark of a part, and its room in a word or a number: `157`, `sold out`, `enough`. A price is `priced`, without its time.
 *
 * @param judged `undefined` for a part that does not apply
 */
function markAndRoom(
  judged: JudgedPart | undefined,
  { count, headroom, isShort }: EvaluatedLaunch,
  { say, word }: Texts,
): readonly [mark: keyof typeof marks, room: string] {
  if (judged === undefined) return ['absent', '–'];
  const { detail, isAsked, isKnown, isTight, part, pricedAt, reason, roomFor, severity } = judged;
  if (!isKnown) return ['unknown', say('unknown')];
  if (isAsked === false) return ['absent', say('not asked')];
  const roomWord = pricedAt === undefined ? word(detail || 'ok') : say('priced');
  const room = roomFor === null ? roomWord : numberText(roomFor);
  if (reason !== null) {
    // The word of a reason that only repeats the name of its part says less than the number.
    const said = reason === part.name ? room : word(reason.replaceAll('-', ' '));
    return [severity === 'critical' ? 'critical' : 'low', said];
  }
  // The launch after the next one would fail, or the group stops before its maximum.
  const isLast =
    roomFor !== null && (roomFor < 2 * (count ?? 1) || (isShort && roomFor === headroom));
  return [isTight === true || isLast ? 'tight' : 'fine', room];
}
