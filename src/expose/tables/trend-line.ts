/** The trend of a quota on the page: a line over the time for which its use is known, and its words. `quota-row.ts` shows it. */
import { html } from 'hono/html';
import { isGap, trendOf } from '../../model/trend.ts';
import type { EvaluatedQuota } from '../evaluation.ts';
import { numberText, type Texts } from '../../model/texts/texts.ts';
import { roundedDuration } from '../text.ts';
import type { Html } from './html.ts';

/** A line needs this number of points with a known use. */
const minPoints = 3;

/**
 * A small line with the figures of its scale. It breaks where the use was not known. `null` with fewer than 3 known points, as
 * for a new quota. In the picture, x is milliseconds since the first point, and y is how far the use is below `top`.
 */
export function trendLine({ evaluated, quota }: EvaluatedQuota, texts: Texts): Html | null {
  const { say } = texts;
  const { isFresh, record, staleAfterMs } = evaluated;
  const { fullInMs, points } = trendOf(record.observed, quota, isFresh);
  const knownPoints = points.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
  const [first] = knownPoints;
  const last = knownPoints.at(-1);
  if (knownPoints.length < minPoints || first === undefined || last === undefined) return null;
  const uses = knownPoints.map(({ used }) => used);
  const low = Math.min(...uses);
  const high = Math.max(...uses);
  // A change of a few percent of the limit must not look like a cliff. 1 for a limit of 0: a picture must have a height.
  const height = Math.max(high - low, quota.limit / 10) || 1;
  // The line is in the middle of the height.
  const top = (high + low + height) / 2;
  const path = knownPoints.map((point, i) => {
    const previous = knownPoints[i - 1];
    const isConnected = previous && !isGap(record.observed, previous, point, staleAfterMs);
    return `${isConnected === true ? 'L' : 'M'}${point.atMs - first.atMs} ${top - point.used}`;
  });
  const span = roundedDuration(last.atMs - first.atMs, texts);
  const figures = { span, from: first.used, to: last.used, low, high };
  const scale = low === high ? numberText(low) : `${numberText(low)}–${numberText(high)}`;
  return html`<svg
      class="line"
      viewBox="0 0 ${last.atMs - first.atMs} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${say('Use in {span}: from {from} to {to}, lowest {low}, highest {high}', figures)}"
    >
      <path d="${path.join('')}h0" />
    </svg>
    <small title="${say('Use: the lowest and the highest, and the time of the line')}"
      >${say('{scale} in {span}', { scale, span })}</small
    >
    ${fullInMs !== null && html`<small class="full">${say('full in {span}', { span: roundedDuration(fullInMs, texts) })}</small>`}`;
}
