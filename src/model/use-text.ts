/** The points of a trend as a text, which needs less memory than numbers and is stored as it is. */

/** Maximum number of points: one at each end of 96 steps. */
export const maxPoints = 97;
/** With this length, a quota needs at most 400 bytes of memory (`test/unit/model/trend-memory.long.test.ts`). */
const maxTextLength = 256;

const token = /([-+=?])([0-9a-z]+)/g;
/** The form of such a text. */
export const useForm = /^([-+=?][0-9a-z]{1,11})*$/;

/**
 * Points as a text: `+2o=5-1?3` is 96 for 6 steps, 95 for one step, and 3 unknown steps. Numbers have the base
 * 36. `+` and `-` are a difference to the last known use, `=` repeats that use, and `?` is an unknown use. The
 * oldest points are left out if the text gets too long.
 *
 * @param points whole numbers, or they are rounded; the oldest first
 */
export function formatUse(points: readonly (number | null)[]): string {
  const kept = points.slice(-maxPoints);
  for (;;) {
    // Without `join`, the engine would keep each intermediate text.
    const text = tokensOf(kept).join('');
    if (text.length <= maxTextLength) return text;
    kept.splice(0, 8);
  }
}

function tokensOf(points: readonly (number | null)[]): string[] {
  const tokens: string[] = [];
  let last = 0;
  let repeated: '=' | '?' = '=';
  let count = 0;
  const endRun = () => {
    if (count > 0) tokens.push(repeated + count.toString(36));
    count = 0;
  };
  for (const point of points) {
    const used = point === null ? null : Math.round(point);
    if (used !== null && used !== last) {
      endRun();
      tokens.push((used > last ? '+' : '-') + Math.abs(used - last).toString(36));
      last = used;
      continue;
    }
    const sign = used === null ? '?' : '=';
    if (sign !== repeated) endRun();
    repeated = sign;
    count += 1;
  }
  endRun();
  return tokens;
}

/** The points of a text, the oldest first. At most as many as a trend has, whatever the text says. */
export function readUse(text: string): (number | null)[] {
  const points: (number | null)[] = [];
  let last = 0;
  for (const [, sign, digits = ''] of text.matchAll(token)) {
    const value = Number.parseInt(digits, 36);
    if (sign === '+' || sign === '-') {
      last += sign === '+' ? value : -value;
      points.push(last);
      continue;
    }
    const length = Math.min(value, maxPoints - points.length);
    for (let i = 0; i < length; i += 1) points.push(sign === '=' ? last : null);
  }
  return points.slice(-maxPoints);
}
