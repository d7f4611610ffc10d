/** What may happen to the daemons of the model: in any order, at any time. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { fuzz } from '../fuzz.ts';
import { disturbedMs, ModelWorld, type Disturbance, type Scenario } from './world.ts';

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  kind: fc.constantFrom(
    'change',
    'suspend',
    'scrape',
    'cut',
    'drop',
    'hand back',
    'restart',
    'kill',
  ),
  atMs: fc.nat(disturbedMs - 1),
  daemon: fc.nat(2),
  forMs: fc.oneof(fc.integer({ min: 10, max: 300 }), fc.integer({ min: 300, max: 5_000 })),
});

const rate = fc.constantFrom(1, 0.95, 1.05);
const tape = fc.array(fc.nat(3), { maxLength: 24 });
const quick = fc.constant<number[]>([]);
const polls = fc.constantFrom(1, 1, 1, 20);
const disturbances = fc.array(disturbance, { maxLength: 10 });

/** One daemon with a slow clock sends on while it cannot renew its lock. */
const cutOff: fc.Arbitrary<readonly Disturbance[]> = fc
  .tuple(fc.nat(1_500), fc.array(disturbance, { maxLength: 3 }))
  .map(([atMs, others]) => [{ kind: 'drop', atMs, daemon: 0, forMs: 3_000 }, ...others]);
const slowAndFast = fc.constant([0.95, 1.05]);

function rates(daemons: number) {
  return fc.array(rate, { minLength: daemons, maxLength: daemons });
}

/** With the number of runs of 100,000 that each of them gets. */
export const worlds: Readonly<Record<string, readonly [runs: number, fc.Arbitrary<Scenario>]>> = {
  'two daemons': [30_000, fc.record({ rates: rates(2), tape: quick, polls, disturbances })],
  'three daemons': [30_000, fc.record({ rates: rates(3), tape: quick, polls, disturbances })],
  'three daemons on a slow network': [
    30_000,
    fc.record({ rates: rates(3), tape, polls, disturbances }),
  ],
  'two daemons, one of them cut off': [
    10_000,
    fc.record({
      rates: slowAndFast,
      tape,
      polls: fc.constant(25),
      disturbances: cutOff,
    }),
  ],
};

/** Expects that nothing goes wrong in any of so many runs. */
export function holds(scenarios: fc.Arbitrary<Scenario>, runs: number): Promise<void> {
  return fuzz(scenarios, runs, async (each) => {
    expect(await new ModelWorld(each).run()).toBeNull();
  });
}
