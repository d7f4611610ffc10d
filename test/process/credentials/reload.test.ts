/** A reload that replaces credentials while polls wait for them. */
import { expect, onTestFinished, test } from 'vitest';
import { seriesOf } from '../../support/exposition-text.ts';
import { startMonitor } from '../../support/monitor.ts';
import { startStubService } from '../../support/stub-service.ts';
import { keys, member, requestsOf, scenario, type CredentialsInput } from './world.ts';

test.each<[string, CredentialsInput]>([
  ['STS', member()],
  ['the metadata service', { type: 'cvm_role' }],
])('a poll that waits for %s goes on with the credentials of a reload', async (_what, waiting) => {
  const silent = await startStubService(() => undefined);
  onTestFinished(silent.close);
  let credentials = waiting;
  const monitor = await startMonitor({
    scenario,
    env: keys.env(),
    waitsForFirstCycle: false,
    config: ({ endpoint }) => ({
      api: { endpoint, sts_endpoint: silent.url, metadata_endpoint: silent.url },
      accounts: [{ name: 'a', credentials, quota_types: ['image'], regions: ['ap-regiona'] }],
    }),
  });
  await expect.poll(() => silent.requests.length).toBe(1);

  credentials = { type: 'environment' };
  await monitor.daemon.reload();
  await monitor.until(async () => (await monitor.get('/-/ready')).ok);

  const metrics = await monitor.metrics();
  expect(seriesOf(metrics, 'cvm_monitor_poll_failures_total')).toEqual({});
  expect(Object.values(seriesOf(metrics, 'cvm_monitor_target_up'))).toEqual([1]);
  expect(requestsOf(monitor, 'DescribeAccountQuota')).toHaveLength(1);
});
