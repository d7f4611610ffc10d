/** DescribeAccountQuota: each figure of each set is a gauge, a field of JSON and a cell, and nothing else is. */
import { expect, test } from 'vitest';
import { emulateRegions, regionOf } from '../../support/emulator.ts';
import { watchEmulator } from '../../support/program.ts';

const zones = ['ap-guangzhou-3', 'ap-guangzhou-4'];

type Row = Readonly<Record<string, string | number | null>>;

/** Figures of a zone that occur only once. */
const figures = (n: number) => quotaOf(n, 900 - n, 1000 + n);

test('Every figure of the five sets is shown, as the service says it', async () => {
  const emulator = await emulateRegions({
    ...regionOf('ap-guangzhou'),
    zones: zones.map((name, n) => ({
      name,
      postpaid: figures(11 + n),
      prepaid: { ...figures(21 + n), once_limit: 2000 + n },
      spotpaid: figures(31 + n),
    })),
  });
  const daemon = await watchEmulator(emulator);
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

  const { quotas } = (await daemon.json('/api/v1/quotas')) as { quotas: Row[] };
  const csv = await daemon.text('/api/v1/quotas?format=csv');
  const rows = csv.split('\r\n').map((line) => line.split(',').slice(0, 8).join(','));
  expect(rows).toEqual([
    'account,region,zone,quota_type,unit,used,remaining,limit',
    ...quotas.map(({ account, region, zone, quota_type, unit, used, remaining, limit }) =>
      [account, region, zone, quota_type, unit, used, remaining, limit].join(','),
    ),
    '',
  ]);
  expect(rows.toSorted().slice(2)).toEqual([
    'production,ap-guangzhou,,disaster_recover_group,groups,3,7,10',
    'production,ap-guangzhou,,image,images,4,6,10',
    'production,ap-guangzhou,ap-guangzhou-3,postpaid,instances,11,889,1011',
    'production,ap-guangzhou,ap-guangzhou-3,prepaid,instances,21,879,1021',
    'production,ap-guangzhou,ap-guangzhou-3,spotpaid,vcpus,31,869,1031',
    'production,ap-guangzhou,ap-guangzhou-4,postpaid,instances,12,888,1012',
    'production,ap-guangzhou,ap-guangzhou-4,prepaid,instances,22,878,1022',
    'production,ap-guangzhou,ap-guangzhou-4,spotpaid,vcpus,32,868,1032',
  ]);
});

test('A figure below zero, a limit of 0, and use above the limit are shown unchanged', async () => {
  const zone = {
    name: 'ap-guangzhou-3',
    postpaid: quotaOf(25, -15, 10),
    prepaid: { ...quotaOf(0, 0, 0), once_limit: 300 },
    spotpaid: quotaOf(5, 0, 3),
  };
  const disaster_recover_group = { used: 25, limit: 10 };
  const emulator = await emulateRegions({
    ...regionOf('ap-guangzhou', { disaster_recover_group }),
    zones: [zone],
  });
  const daemon = await watchEmulator(emulator);

  const samples = await daemon.cycle();
  const remaining = (quota_type: string) => samples.value('cvm_quota_remaining', { quota_type });
  expect(remaining('postpaid')).toBe(-15);
  expect(remaining('prepaid')).toBe(0);
  expect(remaining('spotpaid')).toBe(0);
  expect(remaining('disaster_recover_group')).toBe(-15);
});

const quotaOf = (used: number, RemainingQuota: number, limit: number) => ({
  used,
  limit,
  fields: { RemainingQuota },
});
