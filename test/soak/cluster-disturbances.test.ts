/** Shorter: `cluster-disturbances-short.test.ts`. `CLUSTER_SEED` repeats the choices of a run. */
import { test } from 'vitest';
import { expectExactCounts } from '../support/cluster/disturbed-run.ts';
import { hasProgram } from '../support/programs.ts';
import { hasRedis } from '../support/redis.ts';

const canRun = [hasRedis, hasProgram('prometheus', 'prometheus')].every(Boolean);

const seed = Number(process.env.CLUSTER_SEED ?? 1);

test.runIf(canRun)(
  'a cluster counts every change once through 200 disturbances',
  { timeout: 60 * 60_000 },
  async () => {
    await expectExactCounts({ seed, daemons: 4, accounts: 40, disturbances: 200 });
  },
);
