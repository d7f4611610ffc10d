/** Kills a daemon repeatedly while values change, and compares the counts. */
import { expect } from 'vitest';
import { CrashLane } from './lane.ts';
import { momentNames } from './moments.ts';

const lanesSideBySide = 4;

export interface CrashRun {
  /** Seed of all random choices. The same seed repeats a run, as far as the machine allows. */
  readonly seed: number;
  readonly leastKills: number;
  readonly leastMinutes: number;
  /** Aborted when the test is over. */
  readonly signal: AbortSignal;
}

/** Expects that every change is counted exactly once, for every moment of a kill. */
export async function expectEachChangeOnce(run: CrashRun): Promise<void> {
  const { seed, leastKills, leastMinutes, signal } = run;
  console.log(`seed ${seed}; CRASH_SEED=${seed} repeats it`);
  const lanes = await Promise.all(
    Array.from({ length: lanesSideBySide }, (_, i) => CrashLane.open(seed + i)),
  );
  const kills = () => lanes.flatMap((lane) => lane.kills);
  const endMs = performance.now() + leastMinutes * 60_000;
  const differences = () => lanes.flatMap((lane) => lane.differences);
  const isOver = () =>
    signal.aborted ||
    differences().length > 0 ||
    (kills().length >= leastKills && performance.now() >= endMs);

  await Promise.all(
    lanes.map(async (lane) => {
      while (!isOver()) await lane.killOnce();
      await lane.settle();
    }),
  );

  const spread = momentNames.map((name) => ({
    name,
    count: kills().filter(({ moment }) => moment === name).length,
  }));
  const interrupted = kills().filter(({ interruptedWrite }) => interruptedWrite).length;
  const changes = lanes.reduce((sum, lane) => sum + lane.changes, 0);
  const parts = spread.map(({ name, count }) => `${count} ${name}`).join(', ');
  console.log(`${kills().length} kills: ${parts}; ${interrupted} left a temporary file`);
  console.log(`${changes} changes at the service`);
  expect(differences()).toEqual([]);
  expect(spread.filter(({ count }) => count === 0)).toEqual([]);
  expect(interrupted).toBeGreaterThan(0);
  expect(changes).toBeGreaterThan(kills().length);
}

/** The seed of this run: `CRASH_SEED`, or a random one. */
export const crashSeed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
