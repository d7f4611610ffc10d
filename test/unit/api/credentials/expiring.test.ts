import { expect, it } from 'vitest';
import { fetchPauseMs, refreshAtMs } from '../../../../src/api/credentials/expiring.ts';

it.each([
  [7_200, 6_900],
  [1_500, 1_200],
  [1_000, 800],
  [60, 48],
])(
  'the time of a renewal of credentials that live for %i s is after %i s',
  (lifetimeSeconds, refreshSeconds) => {
    expect(refreshAtMs(5_000, 5_000 + lifetimeSeconds * 1_000)).toBe(
      5_000 + refreshSeconds * 1_000,
    );
  },
);

it.each([
  [1, 500, 1_000],
  [2, 1_000, 2_000],
  [6, 16_000, 32_000],
  [7, 30_000, 60_000],
  [1_000, 30_000, 60_000],
])('the pause after failures %i is %i to %i ms', (failures, leastMs, mostMs) => {
  expect(fetchPauseMs(failures, 0)).toBe(leastMs);
  expect(fetchPauseMs(failures, 1)).toBe(mostMs);
});
