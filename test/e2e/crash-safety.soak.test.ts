/** `CRASH_MINUTES` makes it shorter or longer than an hour. */
import { test } from 'vitest';
import { crashSeed, expectEachChangeOnce } from '../helpers/crash/run.ts';

const leastMinutes = Number(process.env.CRASH_MINUTES ?? 60);

test(
  'however long the daemon is killed, every change is counted exactly once',
  { timeout: (leastMinutes + 10) * 60_000 },
  async ({ signal }) => {
    await expectEachChangeOnce({ seed: crashSeed, leastKills: 300, leastMinutes, signal });
  },
);
