/** `npm run soak` disturbs the cluster 200 times. */
import { test } from 'vitest';
import { expectExactCounts } from '../support/cluster/disturbed-run.ts';
import { hasProgram } from '../support/programs.ts';
import { hasRedis } from '../support/redis.ts';

const canRun = [hasRedis, hasProgram('prometheus', 'prometheus')].every(Boolean);

test.runIf(canRun)(
  'a cluster counts every change once, whatever happens to it',
  { timeout: 5 * 60_000 },
  async () => {
    await expectExactCounts({ seed: 1, daemons: 4, accounts: 20, disturbances: 8 });
  },
);
