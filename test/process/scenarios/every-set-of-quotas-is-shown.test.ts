/** DescribeAccountQuota: each figure of each set is a gauge. */
import { expect, test } from 'vitest';
import { emulateRegions, regionOf } from '../../support/emulator.ts';
import { watchEmulator } from '../../support/program.ts';

const zones = ['ap-guangzhou-3', 'ap-guangzhou-4'];

/** Figures of a zone that occur only once. */
const figures = (n: number) => ({
  used: n,
  limit: 1000 + n,
  fields: { RemainingQuota: 900 - n },
});

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
});
