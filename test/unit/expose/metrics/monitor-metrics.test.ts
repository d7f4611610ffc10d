import { expect, test } from 'vitest';
import { MonitorMetrics } from '../../../../src/expose/metrics/monitor-metrics.ts';

test('requests of removed accounts are not shown, also when they end after the removal', async () => {
  const metrics = new MonitorMetrics({ version: 'test', revision: '' }, () => ({
    cycles: new Map(),
    nextCycleMs: null,
    storage: { failures: 0, damaged: 0, unwritten: 0 },
    leftOut: new Map(),
    lastReloadSuccessful: true,
    lastReloadSuccessMs: 0,
  }));
  const request = (account: string) => {
    const call = { account, operation: 'DescribeAccountQuota' };
    metrics.rateLimitWaited({ ...call, waitMs: 1_000 });
    metrics.requestFinished({ ...call, durationMs: 1, code: 'Timeout' });
    metrics.retried({ ...call, code: 'NetworkError' });
  };
  const accounts = async (family: string) => {
    const { values } = await metrics.registry.getSingleMetric(`cvm_monitor_${family}`)!.get();
    return values.map(({ labels, value }) => [labels.account, value]);
  };
  request('gone');
  request('kept');

  metrics.keepOnly(new Set(['kept']));
  request('gone');
  request('kept');

  expect(await accounts('api_requests_total')).toEqual([['kept', 2]]);
  expect(await accounts('api_request_errors_total')).toEqual([['kept', 2]]);
  expect(await accounts('api_retries_total')).toEqual([['kept', 2]]);
  expect(await accounts('rate_limit_wait_seconds_total')).toEqual([['kept', 2]]);

  metrics.keepOnly(new Set(['kept', 'gone']));
  request('gone');
  expect(await accounts('api_requests_total')).toContainEqual(['gone', 1]);
});
