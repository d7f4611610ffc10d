import { expect, it } from 'vitest';
import { TokenBucket } from '../../../src/web-config/token-bucket.ts';

it('allows a burst, then one request in each interval', () => {
  const bucket = new TokenBucket({ intervalMs: 100, burst: 2 }, 0);

  const taken = [0, 0, 0, 50, 99, 100, 150, 200, 900, 900, 900].map((ms) => bucket.take(ms));

  expect(taken).toEqual([
    ...[true, true, false],
    ...[false, false, true, false, true],
    ...[true, true, false],
  ]);
});

it('allows nothing with a burst of 0', () => {
  const bucket = new TokenBucket({ intervalMs: 1, burst: 0 }, 0);

  expect([0, 1, 1_000].map((ms) => bucket.take(ms))).toEqual([false, false, false]);
});
