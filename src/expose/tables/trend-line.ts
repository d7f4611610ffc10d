/** The trend of a quota: a line over the time for which its use is known, and its words. */
import { html } from 'hono/html';
import { counted, figure } from '../text.ts';
import { trendOf, type QuotaRow } from '../watched.ts';
import { duration, type Html } from './html.ts';

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

/** A small line with the figures of its scale. `null` for a quota that is new. */
export function trendCell(row: QuotaRow): Html | null {
  const { fullInMs, points, stepMs } = trendOf(row);
  const known = points.flatMap(({ atMs, used }) => (used === null ? [] : [{ atMs, used }]));
  const [first] = known;
  const last = known.at(-1);
  if (known.length < minPoints || first === undefined || last === undefined) return null;
  const uses = known.map(({ used }) => used);
  const low = Math.min(...uses);
  const high = Math.max(...uses);
  // A change of a few percent of the limit must not look like a cliff.
  const spare = Math.max(0, row.quota.limit / 10 - (high - low)) / 2;
  const x = scaleOf(first.atMs, last.atMs);
  const y = scaleOf(high + spare, low - spare);
  // The line has a gap where the quota was stale.
  const maxGapMs = Math.max(row.watched.staleAfterMs, stepMs);
  const isStart = (i: number) =>
    (known[i]?.atMs ?? 0) - (known[i - 1]?.atMs ?? -Infinity) > maxGapMs;
  const path = known.map(({ atMs, used }, i) => `${isStart(i) ? 'M' : 'L'}${x(atMs)} ${y(used)}`);
  const gaps = known.filter((_point, i) => i > 0 && isStart(i)).length;
  const span = duration(last.atMs - first.atMs);
  const ends = `from ${figure(first.used)} to ${figure(last.used)}`;
  const range = `lowest ${figure(low)}, highest ${figure(high)}`;
  const label = `Use in ${span}: ${ends}, ${range}${gaps === 0 ? '' : `, ${counted(gaps, 'gap')}`}`;
  const scale = low === high ? figure(low) : `${figure(low)}–${figure(high)}`;
  return html`<svg
      class="line"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      <path d="${path.join('')}h0" />
    </svg>
    <small title="Use: the lowest and the highest, and the time of the line"
      >${scale} in ${span}</small
    >
    ${fullInMs === null ? '' : html`<small class="full">full in ${duration(fullInMs)}</small>`}`;
}

/** The place of a value between two ends, from 0 to 100 with one digit; 50 if the ends are one. */
function scaleOf(from: number, to: number): (value: number) => number {
  return (value) => (from === to ? 50 : Math.round(((value - from) / (to - from)) * 1_000) / 10);
}
