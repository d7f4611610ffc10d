/** A removed account leaves no series behind. When it returns, its counters go on where they were. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { configOf, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const raised = { account: 'other', quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';
const env = { TENCENTCLOUD_SECRET_ID: 'id-of-other', TENCENTCLOUD_SECRET_KEY: 'key' };

test('An account that is removed vanishes, and goes on counting when it returns', async () => {
  const service = await startService('ap-guangzhou');
  const other = service
    .account('other', { secretId: 'id-of-other', secretKey: 'key' })
    .region('ap-guangzhou');
  const account = (name: string, type: string) => ({
    name,
    credentials: { type },
    regions: ['ap-guangzhou'],
  });
  const one = configOf(service, { accounts: [account('production', 'none')] });
  const both = configOf(service, {
    accounts: [account('production', 'none'), account('other', 'environment')],
  });
  const daemon = await startDaemon({ config: both, env });
  other.setLimit('image', null, 11);
  expect((await daemon.cycle()).value(counter, raised)).toBe(1);

  expect(await daemon.reload(one)).toBe(200);
  const without = await daemon.metricsWhen((samples) =>
    samples.all.every(({ labels }) => labels.account !== 'other'),
  );
  expect(without.value('cvm_monitor_target_up')).toBe(1);
  expect(JSON.stringify(await daemon.json('/api/v1/targets'))).not.toContain('"other"');
  await observe(daemon, 'one account is left', { json: [] });

  other.setLimit('image', null, 12);
  expect(await daemon.reload(both)).toBe(200);
  const again = await daemon.cycle();
  expect(again.value(counter, raised)).toBe(2);
  expect(again.value('cvm_quota_limit', { account: 'other', quota_type: 'image' })).toBe(12);
});
