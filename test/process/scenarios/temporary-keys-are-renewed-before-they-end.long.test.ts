/** Keys of a role end. They are renewed before, and an STS that failed is asked again. */
import { expect, test } from 'vitest';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const roleArn = 'qcs::cam::uin/100000000002:roleName/monitor';
const env = { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' };
const credentials = {
  type: 'assume_role',
  role_arn: roleArn,
  source: { type: 'environment' },
};

async function setUp() {
  const service = await startService();
  service.account('central', { secretId: 'id', secretKey: 'key' });
  const member = service.account('member', { secretId: 'unused', secretKey: 'unused' });
  member.region('ap-guangzhou');
  service.roles.set(roleArn, member);
  return service;
}

test('Keys of a role that live for seconds are renewed again and again, and no poll fails', async () => {
  const service = await setUp();
  const lifetimeSeconds = 5;
  service.fault({
    action: 'AssumeRole',
    edit: (fields) => {
      const end = Date.now() + lifetimeSeconds * 1000;
      fields.ExpiredTime = Math.floor(end / 1000);
      fields.Expiration = new Date(end).toISOString();
    },
  });
  const daemon = await watchService(service, { account: { credentials } }, { env });

  const samples = await daemon.metricsWhen(
    () => service.asked({ action: 'AssumeRole' }).length > 2,
  );
  const keys = new Set(service.asked({ action: 'DescribeAccountQuota' }).map(({ key }) => key));
  expect(keys.size).toBeGreaterThanOrEqual(2);
  expect(samples.sum('cvm_monitor_poll_failures_total')).toBe(0);
  const end = samples.value('cvm_monitor_credentials_expiry_timestamp_seconds');
  expect(end).toBeGreaterThan(Date.now() / 1000 - lifetimeSeconds);
  expect(end).toBeLessThan(Date.now() / 1000 + lifetimeSeconds + 1);
});

test('An STS that fails is asked again, and the account recovers', async () => {
  const service = await setUp();
  const fault = service.fault({ action: 'AssumeRole', error: 'InternalError' });
  const daemon = await watchService(service, { account: { credentials } }, { env });
  const code = 'Credentials';
  const samples = await daemon.metrics();
  expect(samples.value('cvm_monitor_poll_failures_total', { code })).toBeGreaterThan(0);
  expect(await daemon.text('/api/v1/targets')).toContain('AssumeRole');

  fault.end();
  await daemon.metricsWhen((each) => each.value('cvm_monitor_target_up') === 1);
  await daemon.logged('credentials recovered');
});
