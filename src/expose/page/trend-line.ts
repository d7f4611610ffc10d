/** The trend of a quota on the page: a line over the time for which its use is known, and its words. */
import { html } from 'hono/html';
import type { UseTrend } from '../tables/page-content.ts';
import { durationText, numberText } from '../text.ts';
import type { Html } from './html.ts';

/** A small line with the figures of its scale. It breaks where the use was not known. */
export function trendLine({ fullInMs, limit, points }: UseTrend): Html | null {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const uses = points.map(({ used }) => used);
  const low = Math.min(...uses);
  const high = Math.max(...uses);
  // A change of a few percent of the limit must not look like a cliff.
  const height = Math.max(high - low, limit / 10) || 1;
  const top = (high + low + height) / 2;
  const path = points.map(
    ({ atMs, isConnected, used }) =>
      `${isConnected === true ? 'L' : 'M'}${atMs - first.atMs} ${top - used}`,
  );
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
