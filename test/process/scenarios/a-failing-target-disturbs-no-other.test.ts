/** One region fails: its last figures stay, and every other target goes on as if nothing were. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const guangzhou = { region: 'ap-guangzhou' };
const json = ['/api/v1/quotas', '/api/v1/targets', '/api/v1/changes'];

test('A poll that fails leaves the last figures as they are, and changes nothing of other targets', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  service.region('ap-shanghai').setUsed('postpaid', 'ap-shanghai-3', 41);
  const daemon = await watchService(service, {
    api: { max_attempts: 1 },
    regions: ['ap-guangzhou', 'ap-shanghai'],
  });
  await daemon.cycle();

  const fault = service.fault({ ...guangzhou, error: 'InternalError' });
  region.setLimit('postpaid', 'ap-guangzhou-3', 300);
  const failed = await daemon.cycle();
  expect(failed.value('cvm_quota_limit', { ...guangzhou, quota_type: 'postpaid' })).toBe(200);
  expect(failed.value('cvm_monitor_target_up', guangzhou)).toBe(0);
  expect(failed.value('cvm_monitor_target_up', { region: 'ap-shanghai' })).toBe(1);
  await observe(daemon, 'while one region fails', { json });

  fault.end();
  const well = await daemon.cycle();
  expect(well.value('cvm_quota_limit', { ...guangzhou, quota_type: 'postpaid' })).toBe(300);
  expect(well.sum('cvm_quota_limit_changes_total')).toBe(1);
  await observe(daemon, 'after it recovered');
});
