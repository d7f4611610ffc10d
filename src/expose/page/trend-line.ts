/** The trend of a quota: a line over the time for which its use is known, and its words. */
import { html } from 'hono/html';
import type { UsePoint } from '../../model/trend.ts';
import { counted, figure } from '../number-format.ts';
import { trendOf, type QuotaRow, type ShownTrend } from '../watched.ts';
import { none, rounded, type Html } from './html.ts';

interface Known {
  readonly atMs: number;
  readonly used: number;
}

/** The range of a line: from its first point to its last, and from its lowest use to its highest. */
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

/** A small line with the figures of its scale. A dash for a quota that is new. */
export function trendCell(row: QuotaRow): Html {
  const trend = trendOf(row);
  const pieces = piecesOf(trend.points, row);
  const known = pieces.flat();
  const [first] = known;
  const last = known.at(-1);
  if (known.length < minPoints || first === undefined || last === undefined) return none;
  const low = Math.min(...known.map(({ used }) => used));
  const high = Math.max(...known.map(({ used }) => used));
  // A change of a few percent of the limit must not look like a cliff.
  const spare = Math.max(0, row.quota.limit / 10 - (high - low)) / 2;
  const range = { fromMs: first.atMs, toMs: last.atMs, low: low - spare, high: high + spare };
  const span = rounded(last.atMs - first.atMs);
  const ends = `from ${figure(first.used)} to ${figure(last.used)}`;
  const gaps = pieces.length === 1 ? '' : `, ${counted(pieces.length - 1, 'gap')}`;
  const scale = low === high ? figure(low) : `${figure(low)}–${figure(high)}`;
  return html`<svg
      class="line"
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label="Use in ${span}: ${ends}, lowest ${figure(low)}, highest ${figure(high)}${gaps}"
    >
      <path d="${pathOf(pieces, range)}" />
    </svg>
    <small title="Use: the lowest and the highest, and the time of the line"
      >${scale} in ${span}</small
    >
    ${fullText(trend)}`;
}

function fullText({ fullInMs }: ShownTrend): Html | '' {
  return fullInMs === null ? '' : html`<small class="full">full in ${rounded(fullInMs)}</small>`;
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
  return toTenths(toMs === fromMs ? width : ((atMs - fromMs) / (toMs - fromMs)) * width);
}

function yOf(used: number, { low, high }: Range): number {
  const share = high === low ? 0.5 : (used - low) / (high - low);
  return toTenths((1 - share) * height);
}

function toTenths(value: number): number {
  return Math.round(value * 10) / 10;
}
