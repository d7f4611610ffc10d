/** The trend of a quota: a line over the time for which its use is known, and its words. */
import { html } from 'hono/html';
import type { UsePoint } from '../../model/trend.ts';
import { counted, figure } from '../number-format.ts';
import { trendOf, type QuotaRow } from '../watched.ts';
import { duration, type Html } from './html.ts';

interface Known {
  readonly atMs: number;
  readonly used: number;
}

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

/** A small line with the figures of its scale. A dash for a quota that is new. */
export function trendCell(row: QuotaRow): Html {
  const { fullInMs, points } = trendOf(row);
  const known = points.filter((point): point is UsePoint & Known => point.used !== null);
  const [first] = known;
  const last = known.at(-1);
  if (known.length < minPoints || first === undefined || last === undefined) {
    return html`<span class="none">–</span>`;
  }
  const uses = known.map(({ used }) => used);
  const low = Math.min(...uses);
  const high = Math.max(...uses);
  const starts = startsOf(known, row);
  const span = duration(last.atMs - first.atMs);
  const ends = `from ${figure(first.used)} to ${figure(last.used)}`;
  const gaps = starts.size === 1 ? '' : `, ${counted(starts.size - 1, 'gap')}`;
  const scale = low === high ? figure(low) : `${figure(low)}–${figure(high)}`;
  // A change of a few percent of the limit must not look like a cliff.
  const spare = Math.max(0, row.quota.limit / 10 - (high - low)) / 2;
  const x = scaleOf(first.atMs, last.atMs);
  const y = scaleOf(high + spare, low - spare);
  const path = known.map(
    (point) => `${starts.has(point) ? 'M' : 'L'}${x(point.atMs)} ${y(point.used)}`,
  );
  return html`<svg
      class="line"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label="Use in ${span}: ${ends}, lowest ${figure(low)}, highest ${figure(high)}${gaps}"
    >
      <path d="${path.join('')}h0" />
    </svg>
    <small title="Use: the lowest and the highest, and the time of the line"
      >${scale} in ${span}</small
    >
    ${fullInMs === null ? '' : html`<small class="full">full in ${duration(fullInMs)}</small>`}`;
}

/** The points at which the line begins: the first one, and each one before which the quota was stale. */
function startsOf(known: readonly Known[], { watched }: QuotaRow): ReadonlySet<Known> {
  const maxGapMs = Math.max(watched.staleAfterMs, watched.record.seen.trend?.stepMs ?? 0);
  return new Set(
    known.filter(({ atMs }, i) => atMs - (known[i - 1]?.atMs ?? -Infinity) > maxGapMs),
  );
}

/** The place of a value between two ends, from 0 to 100 with one digit; 50 if the ends are one. */
function scaleOf(from: number, to: number): (value: number) => number {
  return (value) => (from === to ? 50 : Math.round(((value - from) / (to - from)) * 1_000) / 10);
}
