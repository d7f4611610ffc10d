/**
 * Kills the daemon with SIGKILL, over and over, while what it watches changes. `CRASH_SEED` repeats
 * a run's choices, as far as the machine does; `CRASH_MINUTES` makes it last longer (`npm run soak`).
 */
import { expect, test } from 'vitest';
import { CrashLane } from '../helpers/crash/lane.ts';
import { momentNames } from '../helpers/crash/moments.ts';

const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const minutes = Number(process.env.CRASH_MINUTES ?? 0);
const leastKills = Number(process.env.CRASH_KILLS ?? 300);
const lanesSideBySide = 4;

test(
  'whenever the daemon is killed, every change is counted exactly once',
  { timeout: (minutes + 10) * 60_000 },
  async ({ signal }) => {
    console.log(`seed ${seed}; CRASH_SEED=${seed} repeats it`);
    const lanes = await Promise.all(
      Array.from({ length: lanesSideBySide }, (_, i) => CrashLane.open(seed + i)),
    );
    const kills = () => lanes.flatMap((lane) => lane.kills);
    const endMs = performance.now() + minutes * 60_000;
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
  },
);
