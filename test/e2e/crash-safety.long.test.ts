/** `CRASH_SEED` repeats a run's choices; `npm run soak` goes on for an hour. */
import { test } from 'vitest';
import { crashSeed, expectEachChangeOnce } from '../helpers/crash/run.ts';

const leastKills = Number(process.env.CRASH_KILLS ?? 300);

test(
  'whenever the daemon is killed, every change is counted exactly once',
  { timeout: 10 * 60_000 },
  async ({ signal }) => {
    await expectEachChangeOnce({ seed: crashSeed, leastKills, leastMinutes: 0, signal });
  },
);
