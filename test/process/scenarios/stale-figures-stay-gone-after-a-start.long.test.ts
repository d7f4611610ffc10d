/** A start shows what was stored only as long as it is fresh. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { startWatched } from '../../support/program.ts';

test('A start does not bring figures back that have become stale', async () => {
  const { service, daemon } = await startWatched({
    poll: { stale_after: '3s' },
    api: { max_attempts: 1 },
    regions: ['ap-guangzhou', 'ap-shanghai'],
  });
  await daemon.cycle();
  await daemon.stop();
  await delay(4_000);

  service.fault({ error: 'InternalError' });
  daemon.spawn();
  await daemon.ready();
  const samples = await daemon.cycle();
  expect(samples.matching('cvm_quota_limit')).toEqual([]);
  expect(samples.matching('cvm_quota_limit_changes_total')).toHaveLength(20);
  await observe(daemon, 'after a start without a service', {
    json: ['/api/v1/quotas', '/api/v1/targets'],
  });
});
