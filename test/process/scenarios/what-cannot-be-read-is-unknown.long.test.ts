/** Odd rows and sets: what cannot be read is left out and said, never guessed, and no change is made of it. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { startWatched, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const zones = ['ap-guangzhou-3', 'ap-guangzhou-4', 'ap-guangzhou-6'];
const json = ['/api/v1/quotas', '/api/v1/targets', '/api/v1/changes'];

const oddRows: Readonly<Record<string, (row: Record<string, unknown>) => unknown>> = {
  'a figure is a text': (row) => ({ ...row, TotalQuota: '200' }),
  'a figure is missing': ({ RemainingQuota: _gone, ...row }) => row,
  'a figure is null': (row) => ({ ...row, UsedQuota: null }),
  'a figure is a fraction': (row) => ({ ...row, TotalQuota: 1.5 }),
  'a limit is below zero': (row) => ({ ...row, TotalQuota: -1 }),
  'the row is empty': () => ({}),
  'the row is null': () => null,
  'the row is a list': () => [],
};

test('A row that cannot be read is unknown: left out, counted, and neither gone nor changed', async () => {
  const service = await startService();
  const names = Object.keys(oddRows).map((_name, n) => `ap-odd-${n}`);
  for (const name of names) service.region(name, { zones: [`${name}-1`, `${name}-2`] });
  const daemon = await watchService(service, { regions: names });
  await daemon.cycle();

  const good = names.map((name, n) => {
    const { sets } = service.region(name);
    const [first, second] = sets.PostPaidQuotaSet!;
    sets.PostPaidQuotaSet = [Object.values(oddRows)[n]!(first!) as typeof first & object, second!];
    return () => {
      sets.PostPaidQuotaSet = [first!, second!];
    };
  });
  const odd = await daemon.cycle();
  for (const region of names) {
    const of = { region, quota_type: 'postpaid' };
    expect(odd.matching('cvm_quota_limit', of).map(({ labels }) => labels.zone)).toEqual([
      `${region}-2`,
    ]);
    expect(odd.value('cvm_monitor_target_incomplete', { region })).toBe(1);
    expect(odd.value('cvm_monitor_target_up', { region })).toBe(1);
    expect(odd.sum('cvm_monitor_response_anomalies_total', { region })).toBeGreaterThan(0);
  }
  expect(await daemon.feed()).toEqual([]);
  await observe(daemon, 'while rows are odd', { json });

  for (const restore of good) restore();
  const well = await daemon.cycle();
  for (const region of names) {
    expect(well.matching('cvm_quota_limit', { region, quota_type: 'postpaid' })).toHaveLength(2);
    expect(well.value('cvm_monitor_target_incomplete', { region })).toBe(0);
  }
  expect(await daemon.feed()).toEqual([]);
  await observe(daemon, 'after they are well again');
});

test('A limit that moved while its row could not be read is one change, when it can be read again', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou', { zones });
  const daemon = await watchService(service);
  await daemon.cycle();

  const row = region.row('postpaid', 'ap-guangzhou-4');
  row.UsedQuota = 'unknown';
  row.TotalQuota = 300;
  expect((await daemon.cycle()).sum('cvm_quota_limit_changes_total')).toBe(0);
  row.UsedQuota = 40;
  const samples = await daemon.cycle();
  expect(samples.sum('cvm_quota_limit_changes_total')).toBe(1);
  expect(await daemon.feed()).toEqual(['postpaid/ap-guangzhou-4: quota-limit-raised 200 → 300']);
});

test('A set that is no list is unknown, the other sets are not', async () => {
  const { region, daemon } = await startWatched();
  await daemon.cycle();

  region.sets.PrePaidQuotaSet = { 0: 'odd' } as unknown as null;
  const samples = await daemon.cycle();
  expect(samples.matching('cvm_quota_limit', { quota_type: 'prepaid' })).toEqual([]);
  expect(samples.matching('cvm_quota_limit')).toHaveLength(4);
  expect(samples.value('cvm_monitor_target_incomplete')).toBe(1);
  expect(await daemon.feed()).toEqual([]);
  await observe(daemon, 'while a set is no list', { json });
});

test('Sets that were always empty, null or absent are no fault', async () => {
  const service = await startService();
  const { sets } = service.region('ap-guangzhou');
  sets.PrePaidQuotaSet = [];
  sets.SpotPaidQuotaSet = null;
  delete sets.DisasterRecoverGroupQuotaSet;
  const daemon = await watchService(service);

  const samples = await daemon.cycle();
  expect(samples.value('cvm_monitor_target_up')).toBe(1);
  expect(samples.value('cvm_monitor_target_incomplete')).toBe(0);
  expect(samples.matching('cvm_quota_limit')).toHaveLength(2);
  await observe(daemon, 'with two of five sets', { json });
});

test('A configured zone without a row, and an answer without a quota, are incomplete', async () => {
  const service = await startService();
  service.region('ap-guangzhou', { zones: ['ap-guangzhou-3'] });
  service.region('ap-shanghai', { zones: [] }).sets = {};
  const daemon = await watchService(service, {
    regions: [{ name: 'ap-guangzhou', zones }, 'ap-shanghai'],
  });

  const samples = await daemon.cycle();
  expect(samples.value('cvm_monitor_target_incomplete', { region: 'ap-guangzhou' })).toBe(1);
  expect(samples.value('cvm_monitor_target_incomplete', { region: 'ap-shanghai' })).toBe(1);
  expect(samples.value('cvm_quota_limit', { quota_type: 'postpaid' })).toBe(200);
  await observe(daemon, 'with a zone that is nowhere', { json });
});

test('A row of a template list that is empty is left out, and the versions beside it are read', async () => {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  region.createTemplate('lt-b8v1kcyq', { versions: [1, 2, 3], default: 3 });
  const daemon = await watchService(service, {
    regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
  });
  await daemon.cycle();

  const fault = service.fault({
    action: 'DescribeLaunchTemplateVersions',
    edit: (fields) => {
      (fields.LaunchTemplateVersionSet as unknown[])[0] = {};
    },
  });
  const odd = await daemon.cycle();
  expect(odd.value('cvm_launch_template_default_version')).toBe(3);
  expect(odd.value('cvm_monitor_target_incomplete', { template_id: 'lt-b8v1kcyq' })).toBe(1);
  expect(await daemon.feed()).toEqual([]);
  await observe(daemon, 'with an empty row', { json });

  fault.end();
  const well = await daemon.cycle();
  expect(well.sum('cvm_monitor_target_incomplete')).toBe(0);
  expect(await daemon.feed()).toEqual([]);
});
