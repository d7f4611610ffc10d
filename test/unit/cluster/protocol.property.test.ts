/** The protocol of a cluster, driven through any order of events against a model. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  disturbedMs,
  ModelWorld,
  type Disturbance,
  type Scenario,
} from '../../helpers/cluster-model/world.ts';
import { fuzz, fuzzTimeoutMs } from '../../helpers/fuzz.ts';

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

const worlds: Readonly<Record<string, readonly [runs: number, fc.Arbitrary<Scenario>]>> = {
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

it.each(Object.entries(worlds))(
  '%s count every change once, show no counter that falls, keep the rate, and run every cycle',
  (_, [runs, scenario]) =>
    fuzz(scenario, runs, async (each) => {
      expect(await new ModelWorld(each).run()).toBeNull();
    }),
  fuzzTimeoutMs,
);
