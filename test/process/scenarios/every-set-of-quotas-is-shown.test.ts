/** DescribeAccountQuota: each figure of each set is a gauge, a field of JSON and a cell, and nothing else is. */
import { expect, test } from 'vitest';
import { observe, observeText } from '../../support/observe.ts';
import { watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const zones = ['ap-guangzhou-3', 'ap-guangzhou-4'];

/** Figures of a zone that occur only once. */
const figures = (n: number) => ({ UsedQuota: n, RemainingQuota: 900 - n, TotalQuota: 1000 + n });

test('Every figure of the five sets is shown, as the service says it', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou', { zones });
  region.sets.PostPaidQuotaSet = zones.map((Zone, n) => ({ ...figures(11 + n), Zone }));
  region.sets.PrePaidQuotaSet = zones.map((Zone, n) => ({
    ...figures(21 + n),
    OnceQuota: 2000 + n,
    Zone,
  }));
  region.sets.SpotPaidQuotaSet = zones.map((Zone, n) => ({ ...figures(31 + n), Zone }));
  const daemon = await watchService(service);
  const samples = await daemon.cycle();

  for (const [quota_type, first] of [
    ['postpaid', 11],
    ['prepaid', 21],
    ['spotpaid', 31],
  ] as const) {
    for (const [n, zone] of zones.entries()) {
      const of = { account: 'production', region: 'ap-guangzhou', quota_type, zone };
      expect(samples.value('cvm_quota_used', of)).toBe(first + n);
      expect(samples.value('cvm_quota_remaining', of)).toBe(900 - first - n);
      expect(samples.value('cvm_quota_limit', of)).toBe(1000 + first + n);
      const once = quota_type === 'prepaid' ? 2000 + n : undefined;
      expect(samples.value('cvm_quota_once_limit', of)).toBe(once);
    }
  }
  const groups = { quota_type: 'disaster_recover_group', unit: 'groups' };
  expect(samples.value('cvm_quota_used', groups)).toBe(3);
  expect(samples.value('cvm_quota_remaining', groups)).toBe(7);
  const images = { quota_type: 'image', unit: 'images' };
  expect(samples.value('cvm_quota_limit', images)).toBe(10);
  expect(samples.value('cvm_quota_remaining', images)).toBe(6);
  expect(samples.value('cvm_account_info', { app_id: '1250000001' })).toBe(1);
  await observe(daemon, 'all sets', { json: ['/api/v1/quotas', '/api/v1/targets'] });

  const csv = await daemon.text('/api/v1/quotas?format=csv');
  observeText(csv.replaceAll(/,\d{4}-\d\d-\d\dT.*/g, ',TIME…'), 'the same as CSV');
});

test('A figure below zero, a limit of 0, and use above the limit are shown unchanged', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  Object.assign(region.row('postpaid', 'ap-guangzhou-3'), figuresOf(25, -15, 10));
  Object.assign(region.row('prepaid', 'ap-guangzhou-3'), figuresOf(0, 0, 0));
  Object.assign(region.row('spotpaid', 'ap-guangzhou-3'), figuresOf(5, 0, 3));
  Object.assign(region.row('disaster_recover_group', null), { CurrentNum: 25 });
  const daemon = await watchService(service);

  const samples = await daemon.cycle();
  const remaining = (quota_type: string) => samples.value('cvm_quota_remaining', { quota_type });
  expect(remaining('postpaid')).toBe(-15);
  expect(remaining('prepaid')).toBe(0);
  expect(remaining('spotpaid')).toBe(0);
  expect(remaining('disaster_recover_group')).toBe(-15);
  await observe(daemon, 'overdrawn', { json: ['/api/v1/quotas'] });
});

const figuresOf = (UsedQuota: number, RemainingQuota: number, TotalQuota: number) => ({
  UsedQuota,
  RemainingQuota,
  TotalQuota,
});
