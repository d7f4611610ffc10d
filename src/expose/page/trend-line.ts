/** The trend of a quota on the page: a line over the time for which its use is known, and its words. */
import { html } from 'hono/html';
import { isGap, trendOf } from '../../model/trend.ts';
import type { EvaluatedQuota } from '../evaluation.ts';
import { durationText, numberText } from '../text.ts';
import type { Html } from './html.ts';

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

/** A small line with the figures of its scale. It breaks where the use was not known. `null` for a quota that is new. */
export function trendLine({ evaluated, quota }: EvaluatedQuota): Html | null {
  const { isFresh, record, staleAfterMs } = evaluated;
  const { fullInMs, points } = trendOf(record.observed, quota, isFresh);
  const known = points.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
  const [first] = known;
  const last = known.at(-1);
  if (known.length < minPoints || first === undefined || last === undefined) return null;
  const uses = known.map(({ used }) => used);
  const low = Math.min(...uses);
  const high = Math.max(...uses);
  // A change of a few percent of the limit must not look like a cliff.
  const height = Math.max(high - low, quota.limit / 10) || 1;
  const top = (high + low + height) / 2;
  const path = known.map((point, i) => {
    const before = known[i - 1];
    const isConnected = before && !isGap(record.observed, before, point, staleAfterMs);
    return `${isConnected === true ? 'L' : 'M'}${point.atMs - first.atMs} ${top - point.used}`;
  });
  const span = durationText(last.atMs - first.atMs);
  const ends = `from ${numberText(first.used)} to ${numberText(last.used)}`;
  const range = `lowest ${numberText(low)}, highest ${numberText(high)}`;
  const scale = low === high ? numberText(low) : `${numberText(low)}–${numberText(high)}`;
  return html`<svg
      class="line"
      viewBox="0 0 ${last.atMs - first.atMs} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label="Use in ${span}: ${ends}, ${range}"
    >
      <path d="${path.join('')}h0" />
    </svg>
    <small title="Use: the lowest and the highest, and the time of the line"
      >${scale} in ${span}</small
    >
    ${fullInMs !== null && html`<small class="full">full in ${durationText(fullInMs)}</small>`}`;
}
