import { expect, test } from 'vitest';
import { MonitorMetrics } from '../../../../src/expose/metrics/monitor-metrics.ts';
import { noClients } from '../../../support/exposed-metrics.ts';

test('requests of removed accounts are not shown, also when they end after the removal', () => {
  const metrics = new MonitorMetrics(() => noClients);
  const request = (account: string) => {
    const call = { account, operation: 'DescribeAccountQuota' };
    metrics.requestFinished({ ...call, waitMs: 1_000, durationMs: 1, code: 'Timeout' });
    metrics.retried({ ...call, code: 'NetworkError' });
  };
  const accounts = (name: string) => {
    const [counts] = metrics.samples();
    const samples = counts!.text.matchAll(
      new RegExp(`^cvm_monitor_${name}{account="(\\w+)".* (\\d+)$`, 'gm'),
    );
    return [...samples].map(([, account, value]) => [account, Number(value)]);
  };
  request('gone');
  request('kept');

  metrics.keepOnly(new Set(['kept']));
  request('gone');
  request('kept');

  expect(accounts('api_requests_total')).toEqual([['kept', 2]]);
  expect(accounts('api_request_errors_total')).toEqual([['kept', 2]]);
  expect(accounts('api_retries_total')).toEqual([['kept', 2]]);
  expect(accounts('rate_limit_wait_seconds_total')).toEqual([['kept', 2]]);

  metrics.keepOnly(new Set(['kept', 'gone']));
  request('gone');
  expect(accounts('api_requests_total')).toContainEqual(['gone', 1]);
});
