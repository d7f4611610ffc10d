/** The points of a trend as a text, which needs less memory than numbers and is stored as it is. */

/** Maximum number of points: one at each end of 96 steps. */
export const maxPoints = 97;
/** With this length, a quota needs at most 400 bytes of memory (`test/unit/model/trend-memory.long.test.ts`). */
const maxTextLength = 256;

const anyToken = /[-+=?][0-9a-z]+/g;
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
  const tokens: { readonly sign: string; value: number }[] = [];
  let last = 0;
  for (const point of points) {
    const used = point === null ? null : Math.round(point);
    const sign = signOf(used, last);
    const by = Math.abs((used ?? last) - last);
    const before = tokens.at(-1);
    if (by === 0 && before?.sign === sign) before.value += 1;
    else tokens.push({ sign, value: by || 1 });
    last = used ?? last;
  }
  return tokens.map(({ sign, value }) => sign + value.toString(36));
}

function signOf(used: number | null, last: number): string {
  if (used === null) return '?';
  if (used > last) return '+';
  return used < last ? '-' : '=';
}

/** The points of a text, the oldest first. Only the last ones if the text has more than a trend. */
export function readUse(text: string): (number | null)[] {
  const points: (number | null)[] = [];
  let last = 0;
  for (const [token] of text.matchAll(anyToken)) {
    const [sign] = token;
    const value = Number.parseInt(token.slice(1), 36);
    if (sign === '+' || sign === '-') {
      last += sign === '+' ? value : -value;
      points.push(last);
    } else {
      const length = Math.min(value, maxPoints);
      for (let i = 0; i < length; i += 1) points.push(sign === '=' ? last : null);
    }
    points.splice(0, points.length - maxPoints);
  }
  return points;
}
