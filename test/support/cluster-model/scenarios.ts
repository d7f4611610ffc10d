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

/** The daemons start together, and the tape decides about the service. */
const plain = { startsMs: fc.constant([]), service: fc.constant([]) };

/**
 * A daemon with a slow clock cannot renew its lock. Its requests arrive late, and those of the daemon that takes over
 * at once. That one starts at such a time that it often looks for cycles soon after the end of the lock.
 */
const handOver: fc.Arbitrary<Scenario> = fc.record({
  rates: slowAndFast,
  startsMs: fc.integer({ min: 150, max: 400 }).map((secondMs) => [0, secondMs]),
  tape: quick,
  service: fc.constant([
    { way: 3, answer: 0 },
    { way: 0, answer: 0 },
  ]),
  polls: fc.constant(25),
  disturbances: fc
    .integer({ min: 800, max: 2_300 })
    .map((atMs) => [{ kind: 'drop', atMs, daemon: 0, forMs: 3_000 }]),
});

/**
 * The connections break while a write is on the way. It is repeated, a newer value is written, and then the first
 * one arrives.
 */
const lateWrite: fc.Arbitrary<Scenario> = fc.record({
  rates: fc.constant([1, 1]),
  startsMs: fc.constant([]),
  tape: fc.constant([2]),
  service: fc.constant([
    { way: 0, answer: 0 },
    { way: 0, answer: 0 },
  ]),
  polls: fc.constant(25),
  disturbances: fc
    .record({
      atMs: fc.integer({ min: 900, max: 3_500 }),
      forMs: fc.integer({ min: 10, max: 300 }),
      changesAfterMs: fc.nat(400),
    })
    .map(({ atMs, changesAfterMs, forMs }) => [
      { kind: 'cut', atMs, daemon: 0, forMs },
      { kind: 'cut', atMs, daemon: 1, forMs },
      { kind: 'change', atMs: atMs + changesAfterMs, daemon: 0, forMs: 0 },
    ]),
});

function rates(daemons: number) {
  return fc.array(rate, { minLength: daemons, maxLength: daemons });
}

/** With the number of runs of 120,000 that each of them gets. */
export const worlds: Readonly<Record<string, readonly [runs: number, fc.Arbitrary<Scenario>]>> = {
  'two daemons': [
    30_000,
    fc.record({ ...plain, rates: rates(2), tape: quick, polls, disturbances }),
  ],
  'three daemons': [
    30_000,
    fc.record({ ...plain, rates: rates(3), tape: quick, polls, disturbances }),
  ],
  'three daemons on a slow network': [
    30_000,
    fc.record({ ...plain, rates: rates(3), tape, polls, disturbances }),
  ],
  'two daemons, one of them cut off': [
    10_000,
    fc.record({
      ...plain,
      rates: slowAndFast,
      tape,
      polls: fc.constant(25),
      disturbances: cutOff,
    }),
  ],
  'two daemons whose clocks differ at a hand-over': [10_000, handOver],
  'two daemons whose writes arrive late': [10_000, lateWrite],
};

/** Expects that nothing goes wrong in any of so many runs. */
export function holds(scenarios: fc.Arbitrary<Scenario>, runs: number): Promise<void> {
  return fuzz(scenarios, runs, async (each) => {
    expect(await new ModelWorld(each).run()).toBeNull();
  });
}
