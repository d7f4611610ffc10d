/** The trend of a quota: a line that the server draws, and its words. docs/trend.md explains both. */
import { html } from 'hono/html';
import { windowSteps, type UsePoint } from '../../../model/trend.ts';
import { counted, figure } from '../../number-format.ts';
import type { ShownTrend } from '../../shown-trend.ts';
import type { QuotaRow } from '../../watched.ts';
import { rounded, type Html } from './format.ts';

interface Known {
  readonly atMs: number;
  readonly used: number;
}

/** The range of a chart. It ends with the present. */
interface Range {
  readonly fromMs: number;
  readonly toMs: number;
  readonly low: number;
  readonly high: number;
}

const width = 100;
const height = 100;

/** A line needs this number of points; the last one is the present use. */
const minPoints = 3;

/** A small line of the last 24 hours, and the change in words. `null` for a quota that is new. */
export function trendCell(row: QuotaRow, trend: ShownTrend, nowMs: number): Html | null {
  if (trend.points.length < minPoints) return null;
  const pieces = piecesOf(trend.points, row);
  const known = pieces.flat();
  const { limit } = row.quota;
  const low = Math.min(...known.map(({ used }) => used));
  const high = Math.max(...known.map(({ used }) => used));
  // A change of a few percent of the limit must not look like a cliff.
  const spare = Math.max(0, limit / 5 - (high - low)) / 2;
  const range = { ...timesOf(trend, nowMs), low: low - spare, high: high + spare };
  return html`<svg
      class="trend"
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${alternative(pieces, trend)}"
    >
      <path d="${pathOf(pieces, range)}" />
    </svg>
    ${trend.change?.by === 0 && trend.fullInMs === null ? '' : changeText(trend)}`;
}

/** A chart from 0 to the limit, with a line at the limit and at each threshold. */
export function trendChart(
  row: QuotaRow,
  trend: ShownTrend,
  nowMs: number,
  lines: readonly { readonly className: string; readonly used: number }[],
): Html {
  const pieces = piecesOf(trend.points, row);
  const highest = Math.max(row.quota.limit, ...pieces.flat().map(({ used }) => used), 1);
  const range = { ...timesOf(trend, nowMs), low: 0, high: highest * 1.05 };
  return html`<svg
    class="chart"
    viewBox="0 0 ${width} ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${alternative(pieces, trend)}"
  >
    ${lines.map(
      ({ className, used }) =>
        html`<path class="${className}" d="M0 ${yOf(used, range)}H${width}" />`,
    )}
    <path d="${pathOf(pieces, range)}" />
  </svg>`;
}

/** `+14 in 24 h`, and `full in about 5 h` if the use grows steadily. */
export function changeText({ change, fullInMs }: ShownTrend): Html {
  const by = change === null || change.by === 0 ? 'no change' : signed(change.by);
  return html`${change === null ? '' : html`<small>${by} in ${rounded(change.inMs)}</small>`}
  ${fullInMs === null ? '' : html`<small class="full">full in about ${rounded(fullInMs)}</small>`}`;
}

function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value).replace('-', '−');
}

/** The known points. A new piece begins where the quota was stale. */
function piecesOf(
  points: readonly UsePoint[],
  { watched: { staleAfterMs, record } }: QuotaRow,
): readonly (readonly Known[])[] {
  const maxGapMs = Math.max(staleAfterMs, record.seen.trend?.stepMs ?? 0);
  const pieces: Known[][] = [];
  for (const { atMs, used } of points) {
    if (used === null) continue;
    const last = pieces.at(-1);
    const isNear = atMs - (last?.at(-1)?.atMs ?? -Infinity) <= maxGapMs;
    if (last !== undefined && isNear) last.push({ atMs, used });
    else pieces.push([{ atMs, used }]);
  }
  return pieces;
}

function timesOf({ stepMs }: ShownTrend, nowMs: number): Pick<Range, 'fromMs' | 'toMs'> {
  return { fromMs: nowMs - windowSteps * stepMs, toMs: nowMs };
}

/** A piece with one point becomes a dot. */
function pathOf(pieces: readonly (readonly Known[])[], range: Range): string {
  return pieces
    .map((piece) => {
      const places = piece.map(({ atMs, used }) => `${xOf(atMs, range)} ${yOf(used, range)}`);
      return `M${places.join('L')}${piece.length === 1 ? 'h0' : ''}`;
    })
    .join('');
}

function xOf(atMs: number, { fromMs, toMs }: Range): number {
  const share = (atMs - fromMs) / (toMs - fromMs);
  return toTenths(Math.min(1, Math.max(0, share)) * width);
}

function yOf(used: number, { low, high }: Range): number {
  const share = high === low ? 0.5 : (used - low) / (high - low);
  return toTenths((1 - share) * height);
}

function toTenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The line in words, for those who do not see it. */
function alternative(pieces: readonly (readonly Known[])[], { stepMs }: ShownTrend): string {
  const known = pieces.flat();
  const [first] = known;
  const last = known.at(-1);
  const span = `Use in the last ${rounded(windowSteps * stepMs)}`;
  if (first === undefined || last === undefined) return `${span}: unknown`;
  const use = known.map(({ used }) => used);
  const ends = `from ${figure(first.used)} to ${figure(last.used)}`;
  const range = `lowest ${figure(Math.min(...use))}, highest ${figure(Math.max(...use))}`;
  const gaps = pieces.length === 1 ? '' : `, ${counted(pieces.length - 1, 'gap')}`;
  return `${span}: ${ends}, ${range}${gaps}`;
}
