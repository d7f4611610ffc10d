/** Timeouts, and how often a request is tried. A failed poll changes no figure. */
import { expect, test } from 'vitest';
import { startWatched, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const quiet = { poll: { schedule: '0 0 1 1 *' } };

test('A request is tried as often as max_attempts says, and the poll then fails with its last error', async () => {
  const service = await startService('ap-guangzhou');
  service.fault({ resets: true });
  const daemon = await watchService(service, { ...quiet, api: { max_attempts: 3 } });

  expect(service.requests).toHaveLength(3);
  const samples = await daemon.metrics();
  expect(samples.value('cvm_monitor_poll_failures_total', { code: 'NetworkError' })).toBe(1);
  expect(samples.value('cvm_monitor_target_up')).toBe(0);
});

test('An answer that comes after the timeout is asked for again, and the next one counts', async () => {
  const service = await startService('ap-guangzhou');
  service.fault({ delayMs: 3_000, times: 1 });
  const daemon = await watchService(service, { ...quiet, api: { timeout: '1s', max_attempts: 2 } });

  expect(service.requests).toHaveLength(2);
  const samples = await daemon.metrics();
  expect(samples.value('cvm_monitor_target_up')).toBe(1);
  expect(samples.sum('cvm_monitor_poll_failures_total')).toBe(0);
});

test('A failed poll changes no figure and no counter, and says since when it fails', async () => {
  const { service, region, daemon } = await startWatched({ api: { max_attempts: 1 } });
  const fault = service.fault({ error: 'InternalError' });
  region.setLimit('image', null, 30);
  const failing = await daemon.cycle();

  expect(failing.value('cvm_monitor_target_up')).toBe(0);
  expect(failing.value('cvm_quota_limit', { quota_type: 'image' })).toBe(10);
  expect(failing.sum('cvm_quota_limit_changes_total')).toBe(0);
  const { targets } = (await daemon.json('/api/v1/targets')) as {
    targets: { failure: { code: string; since: string } }[];
  };
  expect(targets[0]!.failure.code).toBe('InternalError');
  expect(Date.parse(targets[0]!.failure.since)).toBeGreaterThan(0);

  fault.end();
  const after = await daemon.metricsWhen((each) => each.value('cvm_monitor_target_up') === 1);
  expect(after.value('cvm_quota_limit', { quota_type: 'image' })).toBe(30);
  expect(after.sum('cvm_quota_limit_changes_total')).toBe(1);
});
