import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readQuotas } from '../../../../src/collectors/quota/answer.ts';
import type { QuotaSnapshot } from '../../../../src/collectors/quota/answer.ts';
import { quotaTypes, type QuotaSelection } from '../../../../src/collectors/quota/selection.ts';
import type { PollAnswer } from '../../../../src/model/poll-outcome.ts';
import { quotaSample } from '../../../helpers/official-samples.ts';

const everything: QuotaSelection = { quotaTypes, zones: null };

const sample: unknown = JSON.parse(quotaSample);

const readFields = (fields: unknown, selection = everything): PollAnswer<QuotaSnapshot> =>
  readQuotas({ fields, requestId: 'b2da6ace' }, selection);

const readSets = (AccountQuota: unknown, selection = everything): PollAnswer<QuotaSnapshot> =>
  readFields({ AccountQuotaOverview: { AccountQuota }, AppId: 1 }, selection);

const kindsOf = ({ anomalies }: PollAnswer<QuotaSnapshot>) =>
  anomalies.map((anomaly) => anomaly.kind);

const row = { UsedQuota: 1, RemainingQuota: 2, TotalQuota: 3, Zone: 'ap-guangzhou-3' };
const groupRow = {
  CvmInRackGroupQuota: 30,
  GroupQuota: 10,
  CvmInHostGroupQuota: 50,
  CurrentNum: 4,
  CvmInSwitchGroupQuota: 20,
};

describe('the quotas of an answer', () => {
  it('are those of the official sample', () => {
    const { Response } = sample as { Response: unknown };

    const { snapshot, anomalies } = readFields(Response);

    const zonal = { onceLimit: null };
    expect(anomalies).toEqual([]);
    expect(snapshot).toEqual({
      kind: 'quota',
      appId: 251007416,
      selection: everything,
      quotas: [
        {
          type: 'postpaid',
          unit: 'instances',
          zone: 'ap-guangzhou-3',
          used: 0,
          remaining: 288,
          limit: 288,
          ...zonal,
        },
        {
          type: 'postpaid',
          unit: 'instances',
          zone: 'ap-guangzhou-4',
          used: 2,
          remaining: 1248,
          limit: 1250,
          ...zonal,
        },
        {
          type: 'prepaid',
          unit: 'instances',
          zone: 'ap-guangzhou-3',
          used: 0,
          remaining: 255,
          limit: 255,
          onceLimit: 300,
        },
        {
          type: 'prepaid',
          unit: 'instances',
          zone: 'ap-guangzhou-4',
          used: 0,
          remaining: 222,
          limit: 222,
          onceLimit: 300,
        },
        {
          type: 'spotpaid',
          unit: 'vcpus',
          zone: 'ap-guangzhou-3',
          used: 0,
          remaining: 244,
          limit: 244,
          ...zonal,
        },
        {
          type: 'spotpaid',
          unit: 'vcpus',
          zone: 'ap-guangzhou-4',
          used: 4,
          remaining: 195,
          limit: 199,
          ...zonal,
        },
        {
          type: 'disaster_recover_group',
          unit: 'groups',
          zone: null,
          used: 0,
          remaining: 10,
          limit: 10,
          ...zonal,
        },
        { type: 'image', unit: 'images', zone: null, used: 0, remaining: 10, limit: 10, ...zonal },
      ],
      groupInstanceLimits: { host: 50, switch: 20, rack: 30 },
      rows: [
        ...['postpaid', 'prepaid', 'spotpaid'].map((type) => ({
          type,
          names: ['ap-guangzhou-3', 'ap-guangzhou-4'],
          unidentified: 0,
        })),
        { type: 'disaster_recover_group', names: [''], unidentified: 0 },
        { type: 'image', names: [''], unidentified: 0 },
      ],
      missing: [],
    });
  });

  it.each([
    {},
    { PostPaidQuotaSet: null, ImageQuotaSet: null },
    { PostPaidQuotaSet: [] },
    { PostPaidQuota: [row] },
    { PostPaidQuotaSet: [{}], ImageQuotaSet: {} },
  ])('are all unknown where there is none: %j', (sets) => {
    const { snapshot } = readSets(sets);

    expect(snapshot).toMatchObject({ quotas: [], groupInstanceLimits: null, rows: [] });
    expect(snapshot.missing[0]).toBe('no quota in the answer');
  });

  it('are gone where a set has only zones that are not selected', () => {
    const selection: QuotaSelection = { quotaTypes: ['postpaid', 'image'], zones: ['other'] };

    const { snapshot } = readSets({ PostPaidQuotaSet: [row], ImageQuotaSet: [] }, selection);

    expect(snapshot).toMatchObject({ quotas: [], rows: [{ names: ['ap-guangzhou-3'] }, {}] });
  });

  it('are all unknown where the only row is one of the region that cannot be read', () => {
    const selection: QuotaSelection = { quotaTypes: ['image'], zones: ['other'] };

    const { snapshot } = readSets({ ImageQuotaSet: [{}] }, selection);

    expect(snapshot).toMatchObject({ quotas: [], rows: [] });
  });

  it.each([undefined, null, []])('are complete where a set beside others is %j', (set) => {
    const { snapshot, anomalies } = readSets({ PostPaidQuotaSet: [row], SpotPaidQuotaSet: set });

    expect(snapshot.missing).toEqual([]);
    expect(anomalies).toEqual([]);
  });

  it.each([{}, 'none', 7])('are unknown for a type whose set is %j, and others stand', (set) => {
    const sets = { PostPaidQuotaSet: set, SpotPaidQuotaSet: [row] };

    const { snapshot, anomalies } = readSets(sets);

    expect(snapshot.quotas).toMatchObject([{ type: 'spotpaid' }]);
    expect(snapshot.rows.map(({ type }) => type)).not.toContain('postpaid');
    expect(snapshot.missing).toHaveLength(1);
    expect(anomalies).toMatchObject([{ kind: 'invalid-set' }]);
  });

  it('name each configured zone that has no row', () => {
    const { snapshot, anomalies } = readSets(
      { PostPaidQuotaSet: [row], SpotPaidQuotaSet: [{ ...row, Zone: 'ap-guangzhou-4' }] },
      { quotaTypes, zones: ['ap-guangzhou-3', 'ap-guangzhou-4', 'ap-guangzhou-9'] },
    );

    expect(snapshot.missing).toEqual(['zone ap-guangzhou-9: no row in the answer']);
    expect(anomalies).toEqual([]);
  });

  it.each<[string, QuotaSelection]>([
    ['a type', { quotaTypes: ['spotpaid'], zones: null }],
    ['a zone', { quotaTypes: ['postpaid', 'spotpaid'], zones: ['ap-guangzhou-3'] }],
  ])('lack nothing where %s that is not selected is malformed', (_what, selection) => {
    const sets = {
      PostPaidQuotaSet: [{ Zone: 'ap-guangzhou-4' }],
      SpotPaidQuotaSet: [row],
      ImageQuotaSet: 'none',
    };

    const { snapshot, anomalies } = readSets(sets, selection);

    expect(snapshot.missing).toEqual([]);
    expect(anomalies).toEqual([]);
  });

  it('know that other zones are there when the selected one is not', () => {
    const { snapshot } = readSets(
      { PostPaidQuotaSet: [row] },
      { quotaTypes: ['postpaid'], zones: ['ap-guangzhou-4'] },
    );

    expect(snapshot.rows).toEqual([
      { type: 'postpaid', names: ['ap-guangzhou-3'], unidentified: 0 },
    ]);
  });

  it('leave out what was not selected', () => {
    const sets = {
      PostPaidQuotaSet: [row, { ...row, Zone: 'ap-guangzhou-4' }],
      SpotPaidQuotaSet: [row],
      DisasterRecoverGroupQuotaSet: [groupRow],
    };

    const { snapshot } = readSets(sets, {
      quotaTypes: ['postpaid', 'disaster_recover_group'],
      zones: ['ap-guangzhou-4'],
    });

    expect(snapshot.quotas.map(({ type, zone }) => [type, zone])).toEqual([
      ['postpaid', 'ap-guangzhou-4'],
      ['disaster_recover_group', null],
    ]);
  });

  it('are overdrawn where more is used than a lowered limit allows', () => {
    const reading = readSets({
      PostPaidQuotaSet: [{ ...row, UsedQuota: 12, RemainingQuota: -2, TotalQuota: 10 }],
      DisasterRecoverGroupQuotaSet: [{ ...groupRow, CurrentNum: 25, GroupQuota: 10 }],
      ImageQuotaSet: [{ UsedQuota: 12, TotalQuota: 10 }],
    });

    expect(reading.snapshot.quotas).toMatchObject([
      { type: 'postpaid', used: 12, remaining: -2, limit: 10 },
      { type: 'disaster_recover_group', used: 25, remaining: -15, limit: 10 },
      { type: 'image', used: 12, remaining: -2, limit: 10 },
    ]);
    expect(reading.snapshot.missing).toEqual([]);
    expect(reading.anomalies).toEqual([]);
  });

  it('have a limit of one purchase in the prepaid set only', () => {
    const rows = [{ ...row, OnceQuota: 300 }];

    const { snapshot } = readSets({
      PostPaidQuotaSet: rows,
      PrePaidQuotaSet: rows,
      SpotPaidQuotaSet: rows,
    });

    expect(snapshot.quotas.map(({ type, onceLimit }) => [type, onceLimit])).toEqual([
      ['postpaid', null],
      ['prepaid', 300],
      ['spotpaid', null],
    ]);
  });

  it.each([undefined, null, '300', -1])('stand without an OnceQuota: %j', (OnceQuota) => {
    const { snapshot, anomalies } = readSets({ PrePaidQuotaSet: [{ ...row, OnceQuota }] });

    expect(snapshot).toMatchObject({ quotas: [{ type: 'prepaid', onceLimit: null }], missing: [] });
    expect(anomalies).toEqual([]);
  });

  it.each([undefined, null, '50', -1])('stand without a group level: %j', (level) => {
    const { snapshot, anomalies } = readSets({
      DisasterRecoverGroupQuotaSet: [{ ...groupRow, CvmInHostGroupQuota: level }],
    });

    expect(snapshot).toMatchObject({
      quotas: [{ limit: 10 }],
      groupInstanceLimits: { host: null, switch: 20, rack: 30 },
      missing: [],
    });
    expect(anomalies).toEqual([]);
  });

  it('tolerate unknown fields everywhere and an account without an ID', () => {
    const reading = readFields({
      New: {},
      AppId: 'none',
      AccountQuotaOverview: {
        New: 1,
        AccountQuota: { NewSet: [1], PostPaidQuotaSet: [{ ...row, New: [] }] },
      },
    });

    expect(reading.anomalies).toEqual([]);
    expect(reading.snapshot).toMatchObject({ appId: null, quotas: [{ used: 1 }] });
  });
});

describe('a wrong row is left out alone', () => {
  it.each([
    ['no zone', { Zone: undefined }],
    ['a zone of null', { Zone: null }],
    ['a zone that is no name', { Zone: 'ap"} 1\n' }],
    ['a zone without end', { Zone: 'a'.repeat(65) }],
    ['no used', { UsedQuota: undefined }],
    ['no remaining', { RemainingQuota: undefined }],
    ['a limit of null', { TotalQuota: null }],
    ['a negative use', { UsedQuota: -1 }],
    ['a negative limit', { TotalQuota: -1 }],
    ['a fraction', { UsedQuota: 1.5 }],
    ['a number in quotes', { UsedQuota: '1' }],
    ['a number too large to be exact', { TotalQuota: 2 ** 53 }],
  ])('with %s', (_what, wrong) => {
    const sets = {
      PostPaidQuotaSet: [
        { ...row, ...wrong },
        { ...row, Zone: 'ap-guangzhou-4' },
      ],
    };

    const reading = readSets(sets);

    const isNamed = !('Zone' in wrong);
    expect(reading.snapshot.quotas.map((quota) => quota.zone)).toEqual(['ap-guangzhou-4']);
    expect(reading.snapshot.rows[0]).toEqual({
      type: 'postpaid',
      names: isNamed ? ['ap-guangzhou-3', 'ap-guangzhou-4'] : ['ap-guangzhou-4'],
      unidentified: isNamed ? 0 : 1,
    });
    expect(reading.snapshot.missing).toEqual(reading.anomalies.map(({ detail }) => detail));
    expect(kindsOf(reading)).toEqual(['invalid-row']);
  });

  it.each([
    ['an image row without a limit', { ImageQuotaSet: [{ UsedQuota: 1 }] }],
    ['a group row without a limit', { DisasterRecoverGroupQuotaSet: [{ CurrentNum: 1 }] }],
    ['empty', { PostPaidQuotaSet: [{}] }],
    ['null', { SpotPaidQuotaSet: [null] }],
    ['a list', { SpotPaidQuotaSet: [[]] }],
  ])('that is %s', (_what, sets) => {
    const reading = readSets(sets);

    expect(reading.snapshot).toMatchObject({ quotas: [], groupInstanceLimits: null });
    expect(kindsOf(reading)).toEqual(['invalid-row']);
  });
});

describe('a repeated row is left out', () => {
  it('when a zone is there already, and the first counts', () => {
    const reading = readSets({ PostPaidQuotaSet: [row, { ...row, TotalQuota: 9 }] });

    expect(reading.snapshot.quotas).toMatchObject([{ zone: 'ap-guangzhou-3', limit: 3 }]);
    expect(reading.snapshot.rows[0]).toMatchObject({ unidentified: 1 });
    expect(kindsOf(reading)).toEqual(['duplicate-row']);
  });

  it('when a quota of the region is there already', () => {
    const reading = readSets({
      ImageQuotaSet: [
        { UsedQuota: 1, TotalQuota: 2 },
        { UsedQuota: 1, TotalQuota: 3 },
      ],
      DisasterRecoverGroupQuotaSet: [groupRow, { ...groupRow, GroupQuota: 99 }],
    });

    expect(reading.snapshot.quotas.map((quota) => quota.limit)).toEqual([10, 2]);
    expect(kindsOf(reading)).toEqual(['duplicate-row', 'duplicate-row']);
  });

  it('but a zone may be in each set', () => {
    const reading = readSets({ PostPaidQuotaSet: [row], SpotPaidQuotaSet: [row] });

    expect(reading.snapshot.quotas).toHaveLength(2);
    expect(reading.anomalies).toEqual([]);
  });
});

it('reads all rows of a set of 1,000', () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ ...row, Zone: `zone-${i}` }));

  const { snapshot, anomalies } = readSets({ PostPaidQuotaSet: rows });

  expect(snapshot.quotas).toHaveLength(1_000);
  expect(anomalies).toEqual([]);
});

it('names the set, the place and the zone of an unreadable row', () => {
  const detailsOf = (sets: unknown) => readSets(sets).anomalies.map(({ detail }) => detail);

  expect(
    detailsOf({
      PostPaidQuotaSet: [
        row,
        { ...row, Zone: 'ap-guangzhou-4', UsedQuota: 'x' },
        { ...row, Zone: 4 },
      ],
      ImageQuotaSet: [{ UsedQuota: 'x', TotalQuota: 1 }],
    }),
  ).toEqual([
    expect.stringMatching(/^PostPaidQuotaSet\[1\] \(ap-guangzhou-4\): UsedQuota/),
    expect.stringMatching(/^PostPaidQuotaSet\[2\]: Zone/),
    expect.stringMatching(/^ImageQuotaSet\[0\]: UsedQuota/),
  ]);
});

it('reads at most 1,000 rows of a set', () => {
  const rows = Array.from({ length: 1001 }, (_, index) => ({ ...row, Zone: `zone-${index}` }));

  const reading = readSets({ PostPaidQuotaSet: rows });

  expect(reading.snapshot.quotas).toHaveLength(1000);
  expect(reading.snapshot.rows[0]).toMatchObject({ unidentified: 1 });
  expect(reading.snapshot.missing).toHaveLength(1);
  expect(kindsOf(reading)).toEqual(['too-many-rows']);
});

describe('an answer of the wrong shape is refused', () => {
  it.each([
    {},
    { AccountQuotaOverview: null },
    { AccountQuotaOverview: [] },
    { AccountQuotaOverview: {} },
    { AccountQuotaOverview: { AccountQuota: null } },
    { AccountQuotaOverview: { AccountQuota: [] } },
    { AccountQuotaOverview: { AccountQuota: 'none' } },
  ])('%j', (fields) => {
    expect(() => readFields(fields)).toThrow(
      expect.objectContaining({ code: 'InvalidResponse', requestId: 'b2da6ace' }),
    );
  });
});

it('never gives a quota twice nor a number that is not one, whatever the rows are', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(-1, 1.5, 0, 7, 2 ** 60, 'ap-x-1'));
  const anyRow = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        Zone: fc.constantFrom('ap-x-1', 'ap-x-2', '', null),
        UsedQuota: anything,
        RemainingQuota: fc.nat(),
        TotalQuota: fc.nat(),
        OnceQuota: fc.nat(),
      },
      { requiredKeys: [] },
    ),
  );
  const sets = fc.record({
    PostPaidQuotaSet: fc.array(anyRow),
    PrePaidQuotaSet: fc.array(anyRow),
    ImageQuotaSet: fc.array(anyRow),
  });

  fc.assert(
    fc.property(sets, (generated) => {
      const { snapshot, anomalies } = readSets(generated);

      const keys = snapshot.quotas.map(({ type, zone }) => `${type} ${zone}`);
      expect(new Set(keys).size).toBe(keys.length);
      for (const { used, remaining, limit } of snapshot.quotas) {
        expect([used, limit].every((n) => Number.isSafeInteger(n) && n >= 0)).toBe(true);
        expect(Number.isSafeInteger(remaining)).toBe(true);
      }
      const rows = Object.values(generated).flat().length;
      expect(snapshot.quotas.length + anomalies.length).toBe(rows);
    }),
  );
});
