/** The parts of a launch as a strip: a cell for each part of the table, so that the eye finds what stops it. */
import { html } from 'hono/html';
import type { JudgedPart } from '../../model/launches/judge-launch.ts';
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { launchParts } from '../../model/launches/parts/parts.ts';
import { numberText, type Texts } from '../../model/texts/texts.ts';
import { partText } from '../launch-text.ts';
import { withTimes, type Html } from './html.ts';

/**
 * What a part says about a launch: a symbol, so that colour is not the only difference, and a word. `absent`: it does not
 * apply.
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
 * The sentence of a cell is for assistive technology, and for the pointer. Empty, and so no markup, for a launch that is not
 * judged.
 */
export function strip(launch: EvaluatedLaunch, texts: Texts): Html | '' {
  if (launch.unjudged !== null) return '';
  return html`<ul class="strip" role="list">
    ${launchParts.map(({ name }) => cell(name, launch, texts))}
  </ul>`;
}

function cell(partName: string, launch: EvaluatedLaunch, texts: Texts): Html {
  const { say } = texts;
  const name = texts.word(partName);
  const judged = launch.parts.find(({ part }) => part.name === partName);
  const { room, state, text } =
    judged === undefined
      ? { room: '–', state: 'absent' as const, text: say('{what}: does not apply', { what: name }) }
      : {
          room: roomText(judged, texts),
          state: stateOf(judged, launch),
          text: partText(judged, launch, texts),
        };
  const [symbol, word] = marks[state];
  const sentence = word === '' ? text : say('{text}: {more}', { text: say(word), more: text });
  return html`<li class="${state}">
    <span aria-hidden="true"><i>${name}</i> <b>${symbol} ${room}</b></span>
    <span class="said">${withTimes(sentence)}</span>
  </li>`;
}

function stateOf(
  { isAsked, isKnown, isTight, reason, roomFor, severity }: JudgedPart,
  launch: EvaluatedLaunch,
): keyof typeof marks {
  if (!isKnown) return 'unknown';
  if (isAsked === false) return 'absent';
  if (reason !== null) return severity === 'critical' ? 'critical' : 'low';
  // The launch after the next one would fail, or the group stops before its maximum.
  const isLast =
    roomFor !== null &&
    (roomFor < 2 * (launch.count ?? 1) || (launch.isShort && roomFor === launch.headroom));
  return isTight === true || isLast ? 'tight' : 'fine';
}

/** The room of a part in a word or a number: `157`, `sold out`, `enough`; without the time of a price. */
function roomText(
  { detail, isAsked, isKnown, part, pricedAt, reason, roomFor }: JudgedPart,
  { say, word }: Texts,
): string {
  if (!isKnown) return say('unknown');
  if (isAsked === false) return say('not asked');
  // The word of a reason that only repeats the name of its part says less than the number.
  if (reason !== null && reason !== part.name) return word(reason.replaceAll('-', ' '));
  if (roomFor !== null) return numberText(roomFor);
  return pricedAt === undefined ? word(detail || 'ok') : say('priced');
}
