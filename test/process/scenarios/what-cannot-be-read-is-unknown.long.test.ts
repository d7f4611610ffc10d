/** Odd rows and sets: what cannot be read is left out and said, never guessed, and no change is made of it. */
import { expect, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/emulator.ts';
import { quotaQuery, versionsQuery } from '../../support/ask.ts';
import {
  changeAnswer,
  emulateRegions,
  regionOf,
  setLimit,
  templateWith,
  zonal,
} from '../../support/emulator.ts';
import { observe } from '../../support/observe.ts';
import { startWatched, watchEmulator } from '../../support/program.ts';

const zones = ['ap-guangzhou-3', 'ap-guangzhou-4', 'ap-guangzhou-6'];
const json = ['/api/v1/quotas', '/api/v1/targets', '/api/v1/changes'];

/** Lets the emulator answer the quotas of a region with changed sets, until its faults are cleared. */
// oxlint-disable-next-line typescript/no-explicit-any
const changeSets = (emulator: Emulator, Region: string, change: (sets: any) => void) => {
  changeAnswer(emulator, { ...quotaQuery, Region }, (fields) => {
    change(fields.AccountQuotaOverview.AccountQuota);
  });
};

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
  const names = Object.keys(oddRows).map((_name, n) => `ap-odd-${n}`);
  const emulator = await emulateRegions(
    ...names.map((name) => regionOf(name, {}, [`${name}-1`, `${name}-2`])),
  );
  const daemon = await watchEmulator(emulator, { regions: names });
  await daemon.cycle();

  for (const [n, oddRow] of Object.values(oddRows).entries()) {
    changeSets(emulator, names[n]!, (sets) => {
      sets.PostPaidQuotaSet[0] = oddRow(sets.PostPaidQuotaSet[0] as Record<string, unknown>);
    });
  }
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

  emulator.faults.clear();
  const well = await daemon.cycle();
  for (const region of names) {
    expect(well.matching('cvm_quota_limit', { region, quota_type: 'postpaid' })).toHaveLength(2);
    expect(well.value('cvm_monitor_target_incomplete', { region })).toBe(0);
  }
  expect(await daemon.feed()).toEqual([]);
  await observe(daemon, 'after they are well again');
});

test('A limit that moved while its row could not be read is one change, when it can be read again', async () => {
  const emulator = await emulateRegions(regionOf('ap-guangzhou', {}, zones));
  const daemon = await watchEmulator(emulator);
  await daemon.cycle();

  emulator.do(setLimit('postpaid', 300, 'ap-guangzhou', 'ap-guangzhou-4'));
  changeSets(emulator, 'ap-guangzhou', (sets) => {
    sets.PostPaidQuotaSet[1].UsedQuota = 'unknown';
  });
  expect((await daemon.cycle()).sum('cvm_quota_limit_changes_total')).toBe(0);
  emulator.faults.clear();
  const samples = await daemon.cycle();
  expect(samples.sum('cvm_quota_limit_changes_total')).toBe(1);
  expect(await daemon.feed()).toEqual(['postpaid/ap-guangzhou-4: quota-limit-raised 200 → 300']);
});

test('A set that is no list is unknown, the other sets are not', async () => {
  const { emulator, daemon } = await startWatched();
  await daemon.cycle();

  changeSets(emulator, 'ap-guangzhou', (sets) => {
    sets.PrePaidQuotaSet = { 0: 'odd' };
  });
  const samples = await daemon.cycle();
  expect(samples.matching('cvm_quota_limit', { quota_type: 'prepaid' })).toEqual([]);
  expect(samples.matching('cvm_quota_limit')).toHaveLength(4);
  expect(samples.value('cvm_monitor_target_incomplete')).toBe(1);
  expect(await daemon.feed()).toEqual([]);
  await observe(daemon, 'while a set is no list', { json });
});

test('Sets that were always empty, null or absent are no fault', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  changeSets(emulator, 'ap-guangzhou', (sets) => {
    sets.PrePaidQuotaSet = [];
    sets.SpotPaidQuotaSet = null;
    delete sets.DisasterRecoverGroupQuotaSet;
  });
  const daemon = await watchEmulator(emulator);

  const samples = await daemon.cycle();
  expect(samples.value('cvm_monitor_target_up')).toBe(1);
  expect(samples.value('cvm_monitor_target_incomplete')).toBe(0);
  expect(samples.matching('cvm_quota_limit')).toHaveLength(2);
  await observe(daemon, 'with two of five sets', { json });
});

test('A configured zone without a row, and an answer without a quota, are incomplete', async () => {
  const [known, ...others] = zones.map((name) => ({ name }));
  const emulator = await emulateRegions(
    { ...regionOf('ap-guangzhou'), zones: [{ ...known!, ...zonal }, ...others] },
    { name: 'ap-shanghai' },
  );
  const daemon = await watchEmulator(emulator, {
    regions: [{ name: 'ap-guangzhou', zones }, 'ap-shanghai'],
  });

  const samples = await daemon.cycle();
  expect(samples.value('cvm_monitor_target_incomplete', { region: 'ap-guangzhou' })).toBe(1);
  expect(samples.value('cvm_monitor_target_incomplete', { region: 'ap-shanghai' })).toBe(1);
  expect(samples.value('cvm_quota_limit', { quota_type: 'postpaid' })).toBe(200);
  await observe(daemon, 'with a zone that is nowhere', { json });
});

test('A row of a template list that is empty is left out, and the versions beside it are read', async () => {
  const launch_templates = [{ id: 'lt-b8v1kcyq', ...templateWith(3, 1, 2, 3) }];
  const emulator = await emulateRegions(regionOf('ap-guangzhou', { launch_templates }));
  const daemon = await watchEmulator(emulator, {
    regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
  });
  await daemon.cycle();

  changeAnswer(emulator, versionsQuery, (fields) => {
    const [third, second] = fields.LaunchTemplateVersionSet;
    fields.LaunchTemplateVersionSet = [{}, second, third];
  });
  const odd = await daemon.cycle();
  expect(odd.value('cvm_launch_template_default_version')).toBe(3);
  expect(odd.value('cvm_monitor_target_incomplete', { template_id: 'lt-b8v1kcyq' })).toBe(1);
  expect(await daemon.feed()).toEqual([]);
  await observe(daemon, 'with an empty row', { json });

  emulator.faults.clear();
  const well = await daemon.cycle();
  expect(well.sum('cvm_monitor_target_incomplete')).toBe(0);
  expect(await daemon.feed()).toEqual([]);
});
