import { expect, test } from 'vitest';
import { createRequestCounts } from '../../../src/daemon/api-observer.ts';
import { apiFamilies } from '../../../src/expose/metrics/monitor-metrics.ts';
import { familySamples } from '../../../src/expose/metrics/text-format.ts';
import { noClients } from '../../support/exposed-metrics.ts';
import { notMeasured } from '../../support/fake-monitor.ts';
import { silentLogger } from '../../support/loggers.ts';

test('requests of STS are counted with the account that they are for', () => {
  const counts = createRequestCounts(notMeasured, silentLogger);
  const { observer } = counts;
  counts.follow(['production'], [{ account: 'production', operation: 'DescribeAccountQuota' }]);

  for (const account of ['production', 'gone']) {
    const call = { account, operation: 'AssumeRole', waitMs: 0, durationMs: 1, code: 'Timeout' };
    observer.requestFinished(call);
  }

  expect(counts.all().map(({ labels, requests }) => ({ ...labels, requests }))).toEqual([
    { account: 'production', operation: 'DescribeAccountQuota', requests: 0 },
    { account: 'production', operation: 'AssumeRole', requests: 1 },
  ]);
});

test('requests of removed accounts are not shown, also when they end after the removal', () => {
  const counts = createRequestCounts(notMeasured, silentLogger);
  const { observer } = counts;
  const callOf = (account: string) => ({ account, operation: 'DescribeAccountQuota' });
  const request = (account: string) => {
    const call = callOf(account);
    observer.requestFinished({ ...call, waitMs: 1_000, durationMs: 1, code: 'Timeout' });
    observer.retried({ ...call, code: 'NetworkError' });
  };
  const accounts = (name: string) => {
    const all = familySamples(apiFamilies, { ...noClients, requests: counts.all() });
    const line = new RegExp(`^cvm_monitor_${name}{account="(\\w+)".* (\\d+)$`, 'gm');
    const samples = all.flatMap(({ text }) => [...text.matchAll(line)]);
    return samples.map(([, account, value]) => [account, Number(value)]);
  };
  const all = ['gone', 'kept'];
  counts.follow(all, all.map(callOf));
  for (const account of all) request(account);

  counts.follow(['kept'], [callOf('kept')]);
  request('gone');
  request('kept');

  expect(accounts('api_requests_total')).toEqual([['kept', 2]]);
  expect(accounts('api_request_errors_total')).toEqual([['kept', 2]]);
  expect(accounts('api_retries_total')).toEqual([['kept', 2]]);
  expect(accounts('rate_limit_wait_seconds_total')).toEqual([['kept', 2]]);

  counts.follow(all, all.map(callOf));
  request('gone');
  expect(accounts('api_requests_total')).toContainEqual(['gone', 1]);
});
