import { expect, test } from 'vitest';
import { MonitorMetrics } from '../../../../src/expose/metrics/monitor-metrics.ts';
import { noClients } from '../../../support/exposed-metrics.ts';

test('requests of removed accounts are not shown, also when they end after the removal', () => {
  const metrics = new MonitorMetrics(() => noClients);
  const callOf = (account: string) => ({ account, operation: 'DescribeAccountQuota' });
  const request = (account: string) => {
    const call = callOf(account);
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
  for (const account of ['gone', 'kept']) {
    metrics.expectRequests(callOf(account));
    request(account);
  }

  metrics.keepOnly(new Set(['kept']));
  request('gone');
  request('kept');

  expect(accounts('api_requests_total')).toEqual([['kept', 2]]);
  expect(accounts('api_request_errors_total')).toEqual([['kept', 2]]);
  expect(accounts('api_retries_total')).toEqual([['kept', 2]]);
  expect(accounts('rate_limit_wait_seconds_total')).toEqual([['kept', 2]]);

  metrics.expectRequests(callOf('gone'));
  request('gone');
  expect(accounts('api_requests_total')).toContainEqual(['gone', 1]);
});
