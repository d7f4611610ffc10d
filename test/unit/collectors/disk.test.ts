/** What is read of DescribeDiskConfigQuota, what of it is asked for, and what is remembered. */
import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { CodedError } from '../../../src/model/coded-error.ts';
import type { Target } from '../../../src/model/target.ts';
import { templateTarget } from '../../support/fake-monitor.ts';
import { plannedBy, PolledTarget } from '../../support/polled-target.ts';
import { answered, templateSnapshot } from '../../support/records.ts';

const [three, four] = ['ap-guangzhou-3', 'ap-guangzhou-4'] as const;
const row = (more: object = {}) => ({
  Available: true,
  Zone: three,
  DiskType: 'CLOUD_BSSD',
  DiskUsage: 'SYSTEM_DISK',
  DiskChargeType: 'POSTPAID_BY_HOUR',
  InstanceFamily: 'S5',
  DeviceClass: null,
  ...more,
});
const answer = (...rows: readonly unknown[]) => ({ DiskConfigSet: rows });
const need = {
  ...{ type: 'CLOUD_BSSD', usage: 'SYSTEM_DISK', family: 'S5' },
  ...{ chargeType: 'postpaid', zone: three },
};
const place = { account: 'production', region: 'ap-guangzhou' };
const target = (...needs: readonly object[]) =>
  ({ ...place, operation: 'DescribeDiskConfigQuota', needs }) as Target;
const collector = collectors.of(target());
const factsOf = ({ record }: PolledTarget) => collector.launchFacts(record).disks!;
const key = (zone: string) => `${zone} S5 CLOUD_BSSD SYSTEM_DISK postpaid`;

test('the disks that launches need are read, and no others', async () => {
  const polled = new PolledTarget(target(need, { ...need, zone: four, usage: 'DATA_DISK' }));

  const { missing } = await polled.poll(
    answer(
      row(),
      row({ Zone: four }),
      row({ InstanceFamily: 'S6' }),
      row({ Zone: four, DiskUsage: 'DATA_DISK', Available: false }),
      row({ DiskType: 'CLOUD_NEW', Available: 7 }),
      row({ DiskChargeType: 'PREPAID' }),
    ),
  );

  expect(missing).toEqual([]);
  expect(polled.requests).toEqual([
    {
      InquiryType: 'INQUIRY_CVM_CONFIG',
      DiskChargeType: 'POSTPAID_BY_HOUR',
      'InstanceFamilies.0': 'S5',
      'DiskTypes.0': 'CLOUD_BSSD',
    },
  ]);
  expect(polled.metrics()).toEqual({
    [`cvm_disk_available ${three} S5 CLOUD_BSSD SYSTEM_DISK postpaid`]: 1,
    [`cvm_disk_available ${four} S5 CLOUD_BSSD DATA_DISK postpaid`]: 0,
  });
});

test('one request asks for each disk charge type that launches need', async () => {
  const polled = new PolledTarget(target(need, { ...need, chargeType: 'prepaid' }));
  polled.answer = ({ DiskChargeType }) => answer(row({ DiskChargeType }));
  await polled.poll();

  expect(polled.requests.map(({ DiskChargeType }) => DiskChargeType)).toEqual([
    'POSTPAID_BY_HOUR',
    'PREPAID',
  ]);
  expect(factsOf(polled).rows).toHaveLength(2);
  const none = new PolledTarget(target());
  expect([collector.asksNothing(none.record.target), await none.poll()]).toMatchObject([
    true,
    { code: null },
  ]);
  expect(none.requests).toEqual([]);
});

test('a type or family that the service refuses costs no other', async () => {
  const polled = new PolledTarget(target(need, { ...need, type: 'CLOUD_NEW' }));
  polled.answer = (parameters) => {
    if (Object.values(parameters).includes('CLOUD_NEW')) {
      throw new CodedError('InvalidParameterValue', '');
    }
    return answer(row());
  };

  expect((await polled.poll()).code).toBe(null);
  expect(factsOf(polled).rows).toHaveLength(1);
  polled.answer = () => {
    throw new CodedError('UnsupportedOperation', '');
  };
  expect((await polled.poll()).code).toBe('UnsupportedOperation');
});

test.each([
  [[true, false], true],
  [[false, true], true],
  [[true, null], true],
  [[null, true], true],
  [[false, null], null],
  [[null, false], null],
  [[false, false], false],
])('a disk with rows that say %j is %j', async (said, isAvailable) => {
  const polled = new PolledTarget(target(need));

  await polled.poll(answer(...said.map((Available) => row({ Available }))));

  expect(factsOf(polled).rows).toMatchObject([{ isAvailable }]);
});

test('a disk that answers lack is counted until it is back', async () => {
  const polled = new PolledTarget(target(need));
  const lacking = async (...rows: readonly unknown[]) => {
    await polled.poll(answer(...rows));
    return factsOf(polled).lacking;
  };

  expect(await lacking()).toEqual([{ id: key(three), polls: 1 }]);
  expect(await lacking(row({ DiskType: 7 }))).toEqual([{ id: key(three), polls: 1 }]);
  expect(factsOf(polled).isWhole).toBe(false);
  expect(await lacking(row({ InstanceFamily: 'S6', Zone: 7 }))).toEqual([
    { id: key(three), polls: 2 },
  ]);
  expect(await lacking(row({ Available: null }))).toEqual([]);
  expect(await lacking()).toEqual([{ id: key(three), polls: 1 }]);
});

test('a disk that a launch needs in any zone is counted in each zone that had it', async () => {
  const polled = new PolledTarget(target({ ...need, zone: '' }));
  const lacking = async (...rows: readonly unknown[]) => {
    await polled.poll(answer(...rows));
    return Object.fromEntries(factsOf(polled).lacking.map(({ id, polls }) => [id, polls]));
  };

  expect(await lacking(row(), row({ Zone: four }))).toEqual({ [key('')]: 1 });
  expect(await lacking(row({ Zone: four }))).toEqual({ [key('')]: 2, [key(three)]: 1 });
  expect(await lacking(row({ Zone: four }), 7)).toEqual({ [key('')]: 2, [key(three)]: 1 });
  expect(await lacking(7)).toEqual({ [key('')]: 2, [key(three)]: 1, [key(four)]: 0 });
  expect(await lacking(row())).toEqual({ [key('')]: 2, [key(four)]: 1 });
  const five = 'ap-guangzhou-5';
  polled.select(target({ ...need, zone: '' }, { ...need, zone: five }));
  expect(await lacking(row())).toEqual({ [key('')]: 2, [key(four)]: 2, [key(five)]: 2 });
  polled.select(target(need));
  expect(await lacking(row())).toEqual({});
});

test('the default versions say which disks are needed, each once', () => {
  const disks = [{ type: 'CLOUD_BSSD', usage: 'SYSTEM_DISK' }] as const;
  const version = { version: 1, instanceType: 'S5.LARGE8', zone: three, disks };
  const records = [
    version,
    { ...version, instanceType: 'S5.SMALL1', chargeType: 'SPOTPAID' },
    { ...version, chargeType: 'PREPAID', zone: '' },
    { ...version, disks: null },
    { ...version, disks: [] },
    { ...version, chargeType: null },
  ].map((defaultVersion, i) =>
    answered(
      templateTarget('production', 'ap-guangzhou', `lt-${i}`),
      templateSnapshot({ versions: [1], defaultVersion }),
    ),
  );
  const planned = (launches: boolean) => {
    const regionKeys = { launch_templates: 'all' };
    return plannedBy(target().operation, { accountKeys: { launches }, regionKeys }, records);
  };

  expect(planned(true)).toEqual([target({ ...need, chargeType: 'prepaid', zone: '' }, need)]);
  expect(collector.details(planned(true)[0]!)).toBe('CLOUD_BSSD');
  expect(planned(false)).toEqual([]);
});
