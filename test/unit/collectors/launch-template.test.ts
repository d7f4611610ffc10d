import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import {
  type LaunchTemplateRecord,
  type LaunchTemplateTarget,
} from '../../../src/collectors/launch-template/launch-template.ts';
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
    { text: '1' },
    { text: '1' },
    { text: '1' },
    { text: 'S5.16XLARGE256', detail: 'img-8toqc6s3 POSTPAID_BY_HOUR' },
  ]);
  expect(collector.table?.cells(new PolledTarget(named).record)).toEqual([null, null, null, null]);
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

it.each<[string, object, object]>([
  ['numbers above 30', versions(47, 5), { versions: [5, 47], defaultVersion: { version: 47 } }],
  [
    'a row without a number',
    page([version(null), version(2, isDefault)]),
    { versions: [2], unidentified: 1, missing: [expect.stringContaining('[0]')] },
  ],
  [
    'a row that is empty',
    page([{}, version(2, isDefault)]),
    { versions: [2], unidentified: 1, defaultVersion: { version: 2 } },
  ],
  [
    'a flag that is none',
    page([version(1, { IsDefaultVersion: 'yes' }), version(2)]),
    { versions: [1, 2], unidentified: 0, defaultVersion: null, missing: [expect.any(String)] },
  ],
  [
    'a row twice',
    page([version(1, isDefault), version(1, isDefault)]),
    { versions: [1], unidentified: 1, defaultVersion: { version: 1 } },
  ],
  [
    'two defaults',
    page([version(1, isDefault), version(2, isDefault)]),
    { defaultVersion: null, missing: ['2 versions are the default: 1, 2'] },
  ],
  [
    'no default',
    page([version(1)]),
    { defaultVersion: null, missing: ['no version is the default'] },
  ],
  ['a total above its rows', page([version(1, isDefault)], 7), { versions: [1], unidentified: 6 }],
  [
    'a total below its rows',
    page([version(1, isDefault), version(2)], 1),
    { unidentified: 0, missing: [] },
  ],
  ['no ID', page([version(1, { ...isDefault, LaunchTemplateId: undefined })]), { missing: [] }],
  [
    'the same row again',
    page([version(1, isDefault), version(1, isDefault)], 1),
    { versions: [1], unidentified: 0, defaultVersion: { version: 1 }, missing: [] },
  ],
  [
    'a version with two contents',
    page([version(1, isDefault), version(1)], 1),
    { versions: [1], unidentified: 0, defaultVersion: null, missing: [expect.any(String)] },
  ],
  [
    'texts that cannot be shown',
    page([
      version(1, {
        ...isDefault,
        LaunchTemplateVersionData: { ImageId: 'a\u0000', InstanceType: 7 },
      }),
    ]),
    {
      defaultVersion: {
        imageId: null,
        instanceType: null,
        chargeType: '',
      },
    },
  ],
])('an answer about the versions of a template may have %s', async (_what, fields, snapshot) => {
  const polled = new PolledTarget(named);

  expect((await polled.poll(fields)).code).toBeNull();
  expect(snapshotOf(polled)).toMatchObject(snapshot);
});

it.each<[string, object]>([
  ['another template', page([version(1, { LaunchTemplateId: 'lt-2' })])],
  ['no row that can be read', page([{}])],
  ['no row, and a total', page([], 3)],
  ['no row, and no total', page([], null)],
  ['no row, and a total of none', page([], 0)],
  ['a set that is no list', { TotalCount: 0, LaunchTemplateVersionSet: 'none' }],
  ['20,001 versions', page(Array.from({ length: 20_001 }, (_, i) => version(i + 1)))],
])('an answer about the versions of a template with %s is invalid', async (_what, fields) => {
  expect(await new PolledTarget(named).poll(fields)).toMatchObject({ code: 'InvalidResponse' });
});

it.each<[string, readonly object[], readonly (readonly string[])[]]>([
  ['a version that is created', [versions(1), versions(1, 2)], [[], ['version-created none → 2']]],
  [
    'a version that two polls lack',
    [versions(1, 2), versions(1), versions(1), versions(1)],
    [[], [], ['version-deleted 2 → none'], []],
  ],
  [
    'a version that one poll lacks',
    [versions(1, 2), versions(1), versions(1, 2), versions(1)],
    [[], [], [], []],
  ],
  [
    'a version that may be in an unreadable row',
    [
      versions(1, 2),
      page([version(1, isDefault), {}]),
      page([version(1, isDefault), {}]),
      versions(1),
      versions(1),
    ],
    [[], [], [], [], ['version-deleted 2 → none']],
  ],
  [
    'a default that moves',
    [versions(1, 2), versions(2, 1)],
    [[], ['default-version-changed 1 → 2']],
  ],
  [
    'a default that moves backward',
    [versions(2, 1), versions(1, 2)],
    [[], ['default-version-changed 2 → 1']],
  ],
  [
    'a default that is created',
    [versions(1, 2), versions(3, 1, 2)],
    [[], ['version-created none → 3', 'default-version-changed 1 → 3']],
  ],
  [
    'a default that is deleted without another in its place',
    [versions(2, 1), page([version(1)]), page([version(1)])],
    [[], [], ['version-deleted 2 → none']],
  ],
  [
    'no default, then the same one as before',
    [versions(1, 2), page([version(1), version(2)]), versions(1, 2)],
    [[], [], []],
  ],
  [
    'two defaults at once, then the one before',
    [versions(1, 2), page([version(1, isDefault), version(2, isDefault)]), versions(1, 2)],
    [[], [], []],
  ],
  [
    'two defaults at once, then another one',
    [versions(1, 2), page([version(1, isDefault), version(2, isDefault)]), versions(2, 1)],
    [[], [], ['default-version-changed 1 → 2']],
  ],
  [
    'a default that moves in a list that is not whole',
    [versions(1, 2), page([version(2, isDefault), {}])],
    [[], ['default-version-changed 1 → 2']],
  ],
  [
    'a default that is uncertain for a poll',
    [versions(1, 2), page([version(1), version(2)]), versions(2, 1)],
    [[], [], ['default-version-changed 1 → 2']],
  ],
  [
    'a list that has none of the known versions',
    [versions(1, 2, 3), versions(7, 8), versions(7, 8)],
    [[], ['list-replaced 3 → 2', 'default-version-changed 1 → 7'], []],
  ],
  ['an empty list', [versions(1, 2), page([]), page([]), versions(1, 2)], [[], [], [], []]],
  [
    'a baseline that waits for a whole list',
    [page([version(1, isDefault), {}]), versions(1, 2, 3), versions(1, 2, 3, 4)],
    [[], [], ['version-created none → 4']],
  ],
])('the changes of a template of %s', async (_what, answers, changes) => {
  const polled = new PolledTarget(named);

  expect(await polled.changesOf(answers)).toEqual(changes);
});

it('the changes of a template are counted from the first poll on', async () => {
  const polled = new PolledTarget({ ...named, listed: null } as LaunchTemplateTarget);
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
  expect(collector.table?.cells(polled.record).slice(1)).toEqual([
    { text: '9' },
    { text: '2' },
    { text: '–', detail: '' },
  ]);
  await polled.poll(page([version(1, isDefault), version(12), version(11), {}]));
  expect(polled.metrics()).toMatchObject({ cvm_launch_template_latest_version: 12 });
});

const ofType = { InstanceType: 'S5.LARGE8' };
const place = {
  Placement: { Zone: 'ap-guangzhou-1' },
  VirtualPrivateCloud: { SubnetId: 'subnet-a', Ipv6AddressCount: 2 },
};
const odd = { InstanceType: 7, InstanceChargeType: 7, Placement: 7, VirtualPrivateCloud: 7 };
it.each<[string, object, object]>([
  ['a type', ofType, { zone: '', isZoneNamed: false, chargeType: 'postpaid', subnets: [] }],
  [
    'a place',
    { ...ofType, ...place },
    { isZoneNamed: true, subnets: ['subnet-a'], count: 1, ipv6Count: 2 },
  ],
  ['a charge type that is new', { ...ofType, InstanceChargeType: 'NEWPAID' }, { chargeType: null }],
  ['CDCPAID', { ...ofType, InstanceChargeType: 'CDCPAID' }, { unjudged: expect.any(String) }],
  ['odd data', odd, { instanceType: null, chargeType: null, zone: null, subnets: null }],
  ['spot instances', { ...ofType, InstanceChargeType: 'SPOTPAID' }, { chargeType: 'spotpaid' }],
  ['CDHPAID', { ...ofType, InstanceChargeType: 'CDHPAID' }, { unjudged: expect.any(String) }],
  ['no type', {}, { unjudged: expect.any(String) }],
])('the launches of a template with %s are judged, or not', async (_what, data, launch) => {
  const polled = new PolledTarget({ ...named, listed } as LaunchTemplateTarget);
  const launches = () => collector.launchFacts(polled.record).launches;
  expect(launches()).toEqual([]);
  await polled.poll(page([version(1, { ...isDefault, LaunchTemplateVersionData: data })]));

  const name = { templateId: 'lt-1', templateName: 'web', version: 1 };
  expect(launches()).toMatchObject([{ ...name, ...launch }]);
});

it.each<[what: string, listed: object | null | undefined, isKnown: boolean]>([
  ['names no template', undefined, true],
  ['shows the same default version', { defaultVersion: 1 }, true],
  ['shows another default version', { defaultVersion: 2 }, false],
  ['does not say the default version', { defaultVersion: null }, true],
  ['lacks the template', null, false],
])('the version of a launch is known if the list %s: %j, %j', async (_what, row, isKnown) => {
  const own = row === undefined ? {} : { listed: row && { ...listed, ...row } };
  const polled = new PolledTarget({ ...named, ...own });
  await polled.poll(versions(1, 2));

  expect(collector.launchFacts(polled.record).launches).toMatchObject([
    { version: 1, isVersionKnown: isKnown },
  ]);
});

it.each<[string, object, number | null, number | null]>([
  ['are counted', versions(1, 2), 2, 28],
  [
    'are more than allowed',
    page([version(1, isDefault), ...Array.from({ length: 30 }, (_, i) => version(i + 2))]),
    31,
    -1,
  ],
  ['are fewer than the service counts', page([version(1, isDefault)], 47), null, null],
  ['may be in an unreadable row', page([version(1, isDefault), {}]), null, null],
])('the versions of a template that %s use its quota', async (_what, fields, used, remaining) => {
  const polled = new PolledTarget(named);
  await polled.poll(fields);

  expect(collector.quotas(polled.record)).toMatchObject([{ used, remaining, limit: 30 }]);
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
