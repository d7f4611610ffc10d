/** Freshness: a figure is shown for `stale_after`, and not longer; one target's failure is no other's. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { startWatched } from '../../support/program.ts';

test('A gauge whose target fails stays until stale_after, then it vanishes, and its counters stay', async () => {
  const { service, region, daemon } = await startWatched({
    poll: { stale_after: '3s' },
    api: { max_attempts: 1 },
    regions: ['ap-guangzhou', 'ap-shanghai'],
  });
  const guangzhou = { region: 'ap-guangzhou' };
  const json = ['/api/v1/quotas', '/api/v1/targets', '/api/v1/changes'];
  await daemon.cycle();
  region.setLimit('postpaid', 'ap-guangzhou-3', 300);
  await daemon.cycle();

  const fault = service.fault({ ...guangzhou, error: 'InternalError' });
  let isShown = true;
  while (isShown) {
    await delay(100);
    const askedMs = Date.now();
    const samples = await daemon.metrics();
    const answeredMs = Date.now();
    const last = 'cvm_monitor_target_last_success_timestamp_seconds';
    const successMs = samples.value(last, guangzhou)! * 1_000;
    isShown = samples.matching('cvm_quota_limit', guangzhou).length > 0;
    if (answeredMs - successMs < 3_000) expect(isShown).toBe(true);
    // An exposition is rendered at most once a second.
    if (askedMs - successMs > 4_500) expect(isShown).toBe(false);
  }
  const stale = await daemon.cycle();
  for (const gauge of ['used', 'remaining', 'limit', 'remaining_threshold', 'once_limit']) {
    expect(stale.matching(`cvm_quota_${gauge}`, guangzhou)).toEqual([]);
  }
  expect(stale.matching('cvm_account_info', guangzhou)).toEqual([]);
  expect(stale.matching('cvm_quota_limit', { region: 'ap-shanghai' })).toHaveLength(5);
  expect(stale.value('cvm_monitor_target_up', guangzhou)).toBe(0);
  expect(stale.sum('cvm_quota_limit_changes_total', guangzhou)).toBe(1);
  expect((await daemon.get('/-/ready')).status).toBe(200);
  await observe(daemon, 'while it is stale', { json });

  fault.end();
  const fresh = await daemon.cycle();
  expect(fresh.matching('cvm_quota_limit', guangzhou)).toHaveLength(5);
  expect(fresh.value('cvm_monitor_target_up', guangzhou)).toBe(1);
  expect(await daemon.feed()).toHaveLength(1);
  await observe(daemon, 'after the next success', { json });
});
