/** The trend of a quota: a line over the time for which its use is known, and its words. */
import { html } from 'hono/html';
import { isGap, trendOf } from '../../model/trend.ts';
import { figure } from '../text.ts';
import type { QuotaRow } from '../evaluated-record.ts';
import { duration, type Html } from './html.ts';

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

/** A small line with the figures of its scale. `null` for a quota that is new. */
export function trendCell({ quota, evaluated }: QuotaRow): Html | null {
  const { fullInMs, points } = trendOf(evaluated.record.observed, quota, evaluated.isFresh);
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
    const isNext =
      before && !isGap(evaluated.record.observed, before, point, evaluated.staleAfterMs);
    return `${isNext ? 'L' : 'M'}${point.atMs - first.atMs} ${top - point.used}`;
  });
  const span = duration(last.atMs - first.atMs);
  const ends = `from ${figure(first.used)} to ${figure(last.used)}`;
  const range = `lowest ${figure(low)}, highest ${figure(high)}`;
  const scale = low === high ? figure(low) : `${figure(low)}–${figure(high)}`;
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
    ${fullInMs !== null && html`<small class="full">full in ${duration(fullInMs)}</small>`}`;
}
