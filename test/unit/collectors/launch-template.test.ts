import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import type { LaunchTemplateRecord } from '../../../src/collectors/launch-template/launch-template.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { PolledTarget } from '../../support/polled-target.ts';
import { versionsSample } from '../../support/sample-scenario.ts';

const named = templateTarget('production', 'ap-guangzhou', 'lt-1');
const collector = collectors.of(named);
const snapshotOf = ({ record }: PolledTarget) =>
  (record as LaunchTemplateRecord).observed.snapshot!;

const version = (LaunchTemplateVersion: unknown, more: object = {}) => ({
  LaunchTemplateId: 'lt-1',
  LaunchTemplateVersion,
  IsDefaultVersion: false,
  ...more,
});
const isDefault = { IsDefaultVersion: true };
const page = (rows: readonly unknown[], TotalCount: number | null = rows.length) => ({
  TotalCount,
  LaunchTemplateVersionSet: rows,
});
/** The page with these versions, of which the first is the default. */
const versions = (...numbers: readonly number[]) =>
  page(numbers.map((number, i) => version(number, { IsDefaultVersion: i === 0 })));

it('an answer about the versions of a template is read as in the official sample, without its other data', async () => {
  const { Response } = JSON.parse(versionsSample) as { Response: object };
  const polled = new PolledTarget(templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq'));

  await polled.poll(Response);

  expect(snapshotOf(polled)).toEqual({
    versions: [1],
    unidentified: 0,
    defaultVersion: {
      version: 1,
      imageId: 'img-8toqc6s3',
      instanceType: 'S5.16XLARGE256',
      chargeType: 'POSTPAID_BY_HOUR',
      zone: 'ap-guangzhou-6',
      subnet: 'subnet-he88kvqu',
      count: 1,
      ipv6Count: 0,
      disks: ['SYSTEM_DISK', 'DATA_DISK'].map((usage) => ({ type: 'CLOUD_PREMIUM', usage })),
      placementGroups: [],
    },
    missing: [],
  });
  const shown = {
    version: 1,
    image_id: 'img-8toqc6s3',
    instance_type: 'S5.16XLARGE256',
    charge_type: 'POSTPAID_BY_HOUR',
  };
  expect(polled.metrics()).toMatchObject({
    [`cvm_launch_template_default_version_info  ${Object.values(shown).join(' ')}`]: 1,
  });
  expect(collector.table?.cells(polled.record)).toEqual([
    ['1'],
    ['1'],
    ['1'],
    ['S5.16XLARGE256', 'img-8toqc6s3 POSTPAID_BY_HOUR'],
  ]);
  expect(collector.table?.cells(new PolledTarget(named).record)).toEqual([[], [], [], []]);
  expect(polled.requests).toEqual([
    {
      LaunchTemplateId: 'lt-b8v1kcyq',
      MinVersion: '0',
      MaxVersion: '2147483647',
      Offset: '0',
      Limit: '100',
    },
  ]);
});

it('the changes of a template are counted from the first poll on', async () => {
  const polled = new PolledTarget({ ...named, listed: null } as LaunchTemplateRecord['target']);
  await polled.poll(versions(1, 2));
  await polled.poll(versions(3, 1));
  await polled.poll(versions(3, 1));

  const atSeconds = Date.UTC(2026, 1, 3) / 1_000 + 120;
  const metrics = {
    cvm_launch_template_default_version_changes_total: 1,
    cvm_launch_template_default_version_change_timestamp_seconds: atSeconds,
    cvm_launch_template_versions_created_total: 1,
    cvm_launch_template_versions_deleted_total: 1,
    cvm_launch_template_versions_replaced_total: 0,
  };
  expect(polled.metrics(false)).toEqual(metrics);
  expect(polled.metrics()).toMatchObject({
    ...metrics,
    cvm_launch_template_default_version: 3,
    cvm_launch_template_latest_version: 3,
    cvm_launch_template_versions: 2,
  });
});

it('the changes of a template leave the highest known version the latest one while its row is unreadable', async () => {
  const polled = new PolledTarget(named);
  await polled.poll(versions(1, 9, 4));
  await polled.poll(page([version(1, isDefault), {}]));

  expect(polled.metrics()).toMatchObject({
    cvm_launch_template_latest_version: 9,
    cvm_launch_template_versions: 2,
  });
  expect(collector.table?.cells(polled.record).slice(1)).toEqual([['9'], ['2'], ['–', '']]);
  await polled.poll(page([version(1, isDefault), version(12), version(11), {}]));
  expect(polled.metrics()).toMatchObject({ cvm_launch_template_latest_version: 12 });
});

const listed = { name: 'web', defaultVersion: 1, latestVersion: 2, versions: 2 };
const atHour = Date.UTC(2026, 1, 3);
const read = async (answers = [versions(1, 2)], own: object = { listed }) => {
  const polled = new PolledTarget({ ...named, ...own });
  polled.nowMs = atHour - answers.length * 60_000;
  for (const fields of answers) await polled.poll(fields);
  return polled;
};
const needs = ({ record, nowMs }: PolledTarget, own: object = {}) =>
  collector.needsPoll({ ...record, target: { ...record.target, ...own } }, nowMs);

it('the versions of a template of a list are not read while the list says the same, and once an hour all the same', async () => {
  const polled = await read();
  const minutes = Array.from({ length: 61 }, (_, minute) => minute * 60_000);
  const due = minutes.map((ms) => collector.needsPoll(polled.record, atHour + ms));

  expect([due[0], due.at(-1)]).toEqual([false, true]);
  // They become due once, and stay due.
  expect(due.lastIndexOf(false)).toBeLessThan(due.indexOf(true));
  expect(needs(await read([versions(1)]))).toBe(false);
});

it.each<[string, () => Promise<boolean>]>([
  ['the configuration names the template', async () => needs(await read(undefined, {}))],
  ['they were never read', async () => needs(await read([]))],
  [
    'a number in the list moved',
    async () => needs(await read(), { listed: { ...listed, versions: 3 } }),
  ],
  [
    'a number in the list is unknown',
    async () => needs(await read(undefined, { listed: { ...listed, versions: null } })),
  ],
  ['its row in the list is unknown', async () => needs(await read(), { listed: null })],
  ['another version was the default', async () => needs(await read([versions(2, 1)]))],
  ['a version was newer than the list', async () => needs(await read([versions(1, 2, 3)]))],
  ['the last answer failed', async () => needs(await read([versions(1, 2), page([{}])]))],
  [
    'the last answer was not whole',
    async () => needs(await read([page([version(1, isDefault), {}])])),
  ],
  [
    'the last answer lacked a version',
    async () => needs(await read([versions(1, 2), versions(1)])),
  ],
])('the versions of a template of a list are read if %s', async (_why, needsPoll) => {
  expect(await needsPoll()).toBe(true);
});
