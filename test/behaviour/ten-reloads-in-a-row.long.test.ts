/** Reloads without end, in the middle of the polls of thousands of targets. */
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { accountOf, startWatch } from '../support/monitor.ts';

const regionNames = Array.from({ length: 20 }, (_, n) => `ap-region-${n}`);

test(
  'ten reloads in a row with two thousand targets make no request more, and lose no poll',
  {
    timeout: 240_000,
  },
  async () => {
    const service = await startService();
    service.limitPerSecond = Infinity;
    for (const name of regionNames) service.region(name);
    // Accounts without keys share what the service has.
    const accounts = Array.from({ length: 100 }, (_, n) => accountOf(`account-${n}`, regionNames));
    // Ten times 100 accounts take seconds, in which this process answers no request.
    const watch = await startWatch({
      service,
      accounts,
      timeout: '60s',
      waitsForFirstCycle: false,
    });
    const targets = accounts.length * regionNames.length;
    await expect.poll(() => service.requests.length).toBeGreaterThan(100);

    // They change each account, in the middle of the first cycle.
    for (let n = 0; n < 10; n += 1) {
      watch.accounts = accounts.map((each) => ({ ...each, labels: { round: `r${n}` } }));
      expect(await watch.monitor.daemon.reload()).toEqual({ ok: true });
    }
    const isReady = async () => (await watch.monitor.get('/-/ready')).status;
    await expect.poll(isReady, { timeout: 120_000 }).toBe(200);

    expect(service.requests).toHaveLength(targets);
    expect((await watch.samples()).sum('cvm_monitor_polls_total')).toBe(targets);
    await watch.cycle();
    expect(service.requests).toHaveLength(2 * targets);
    expect((await watch.samples()).sum('cvm_monitor_poll_failures_total')).toBe(0);
  },
);
