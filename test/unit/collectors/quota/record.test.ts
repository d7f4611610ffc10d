import { advance, continueRecord, newRecord } from '../../../helpers/advance.ts';
import type { TargetRecord } from '../../../../src/model/record.ts';
import { quotaKey } from '../../../../src/model/quota.ts';
import {
  neverAnsweredZones,
  type QuotaSnapshot,
  type QuotaRecord,
} from '../../../../src/collectors/quota/record.ts';
import { type QuotaSelection, quotaSets } from '../../../../src/collectors/quota/selection.ts';
import type { QuotaTarget } from '../../../../src/collectors/quota/quota.ts';
import { quotaSnapshot } from '../../../helpers/snapshots.ts';
import { describe, expect, it } from 'vitest';
import { templateTarget } from '../../../helpers/fake-monitor.ts';

const all: QuotaSelection = {
  quotaTypes: ['postpaid', 'disaster_recover_group', 'image'],
  zones: null,
};
const target = (selection: QuotaSelection): QuotaTarget => ({
  operation: 'DescribeAccountQuota',
  account: 'production',
  region: 'ap-guangzhou',
  selection,
});
const template = templateTarget('production', 'ap-guangzhou', 'lt-b8v1kcyq');

const row = { used: 1, remaining: 9, limit: 10, onceLimit: null };
const answer: QuotaSnapshot = quotaSnapshot({
  appId: 1,
  selection: all,
  quotas: [
    { type: 'postpaid', unit: unitOf.postpaid, zone: 'z1', ...row },
    { type: 'postpaid', unit: unitOf.postpaid, zone: 'z2', ...row },
    { type: 'image', unit: unitOf.image, zone: null, ...row },
    { type: 'disaster_recover_group', unit: unitOf.disaster_recover_group, zone: null, ...row },
  ],
  groupInstanceLimits: { host: 1, switch: 2, rack: 3 },
});

const poll = (record: TargetRecord, snapshot: QuotaSnapshot) =>
  advance(record, { ok: true, snapshot, anomalies: [], durationMs: 1 }, 1);

const stored = poll(newRecord(target(all)), answer).record as QuotaRecord;

function continued(selection: QuotaSelection) {
  const record = continueRecord(stored, target(selection)) as QuotaRecord;
  if (record.seen.snapshot === null) throw new Error('no snapshot');
  return {
    record,
    keys: record.seen.snapshot.quotas.map(quotaKey),
    snapshot: record.seen.snapshot,
  };
}

describe('continueRecord', () => {
  it('keeps all of a record whose selection is the same', () => {
    expect(continueRecord(stored, target(all))).toEqual(stored);
  });

  it.each<[string, QuotaSelection, string[]]>([
    ['one zone', { ...all, zones: ['z2'] }, ['postpaid/z2', 'image', 'disaster_recover_group']],
    ['one type', { quotaTypes: ['image'], zones: null }, ['image']],
    ['another zone', { ...all, zones: ['z9'] }, ['image', 'disaster_recover_group']],
  ])('takes out of the snapshot what a selection of %s leaves out', (_, selection, expected) => {
    expect(continued(selection).keys).toEqual(expected);
  });

  it('keeps the limits of placement groups as long as those are selected', () => {
    expect(continued(all).snapshot.groupInstanceLimits).toEqual(answer.groupInstanceLimits);
    expect(
      continued({ quotaTypes: ['image'], zones: null }).snapshot.groupInstanceLimits,
    ).toBeNull();
  });

  it('keeps the counters of what is selected no more', () => {
    const { record } = continued({ quotaTypes: ['image'], zones: null });

    expect(record.counted.limits).toEqual(stored.counted.limits);
  });

  it.each<[string, QuotaSelection]>([
    ['zones', { ...all, zones: ['z1'] }],
    ['types', { quotaTypes: ['image'], zones: null }],
  ])('takes no zone for new when its %s are narrowed and widened again', (_, narrow) => {
    const widened = continueRecord(continueRecord(stored, target(narrow)), target(all));

    expect(poll(widened, answer).changes).toEqual([]);
  });

  /** What changes are found after a reload to a selection, and another one back. */
  const changesOverReload = (
    before: QuotaSnapshot,
    narrow: QuotaSelection,
    after: QuotaSnapshot,
  ) => {
    const known = poll(newRecord(target(all)), before).record;
    const widened = continueRecord(continueRecord(known, target(narrow)), target(all));
    return poll(widened, after).changes.map(({ kind, zone }) => [kind, zone]);
  };
  const zonesOf = (zones: readonly string[], unidentified = 0): QuotaSnapshot => {
    const quotas = zones.map((zone) => ({ type: 'postpaid', unit: unitOf.postpaid, zone, ...row }));
    return {
      ...quotaSnapshot({ selection: all, quotas: quotas as QuotaSnapshot['quotas'] }),
      rows: [{ type: 'postpaid', names: zones, unidentified }],
    };
  };

  it('finds the changes of a zone that was selected all the time', () => {
    const narrow: QuotaSelection = { ...all, zones: ['z1'] };

    expect(changesOverReload(zonesOf(['z1', 'z2']), narrow, zonesOf(['z2', 'z3']))).toEqual([
      ['zone-disappeared', 'z1'],
    ]);
  });

  it('knows an unreadable row of a selection that stays, and of no other', () => {
    const before = zonesOf(['z1'], 1);
    const after = zonesOf(['z1', 'z2']);
    const known = poll(newRecord(target(all)), before).record as QuotaRecord;

    expect(changesOverReload(before, all, after)).toEqual([]);
    expect((continueRecord(known, target(all)) as QuotaRecord).counted.inventory).toEqual(
      known.counted.inventory,
    );
    expect(
      (continueRecord(known, target({ ...all, zones: ['z1'] })) as QuotaRecord).counted.inventory,
    ).toEqual({ selection: { ...all, zones: ['z1'] }, types: [] });
  });

  it('keeps the known rows of a smaller selection: its types, its zones, and the region', () => {
    const inventoryOf = (selection: QuotaSelection) =>
      continued(selection).record.counted.inventory;
    const known = (type: string, ...names: string[]) => ({ type, known: names, unidentified: 0 });

    expect(inventoryOf({ ...all, zones: ['z2', 'z9'] })).toEqual({
      selection: { ...all, zones: ['z2', 'z9'] },
      types: [known('postpaid', 'z2'), known('disaster_recover_group', ''), known('image', '')],
    });
    expect(inventoryOf({ quotaTypes: ['image'], zones: null })).toEqual({
      selection: { quotaTypes: ['image'], zones: null },
      types: [known('image', '')],
    });
    const two: QuotaSelection = { ...all, zones: ['z1', 'z2'] };
    const narrowed = continueRecord(continued(two).record, target({ ...all, zones: ['z2', 'z3'] }));
    expect((narrowed as QuotaRecord).counted.inventory?.selection.zones).toEqual(['z2']);
    expect((narrowed as QuotaRecord).seen.snapshot?.rows.map(({ type }) => type)).toEqual(
      answer.rows.map(({ type }) => type),
    );
    expect(continued({ quotaTypes: ['image'], zones: null }).snapshot.rows).toHaveLength(1);
  });

  it('keeps a record without an answer', () => {
    const never = newRecord(target(all));

    expect(continueRecord(never, target(all))).toEqual(never);
  });

  it('keeps a template’s record', () => {
    expect(continueRecord(newRecord(template), template)).toEqual(newRecord(template));
  });
});

describe('neverAnsweredZones', () => {
  const zonal: QuotaSelection = { quotaTypes: ['postpaid'], zones: ['z1', 'z9'] };
  const recordAfter = (...snapshots: QuotaSnapshot[]) =>
    snapshots.reduce<TargetRecord>(
      (record, snapshot) => poll(record, snapshot).record,
      newRecord(target(zonal)),
    ) as QuotaRecord;
  const postpaid = (...zones: string[]) =>
    quotaSnapshot({
      selection: zonal,
      quotas: zones.map((zone) => ({ type: 'postpaid', unit: 'instances', zone, ...row })),
    });

  it('names a configured zone that no answer had', () => {
    expect(neverAnsweredZones(recordAfter(postpaid('z1')), target(zonal))).toEqual(['zone z9']);
  });

  it('names all of them after an answer without any row', () => {
    const empty = { ...postpaid(), rows: [] };

    expect(neverAnsweredZones(recordAfter(empty), target(zonal))).toEqual(['zone z1', 'zone z9']);
  });

  it('names a zone beside types that have no zones', () => {
    const selection: QuotaSelection = { ...zonal, quotaTypes: ['postpaid', 'image'] };
    const answered = {
      ...postpaid('z1'),
      selection,
      rows: [
        { type: 'postpaid' as const, names: ['z1'], unidentified: 0 },
        { type: 'image' as const, names: [''], unidentified: 1 },
      ],
    };

    expect(neverAnsweredZones(recordAfter(answered), target(selection))).toEqual(['zone z9']);
  });

  it.each<[string, QuotaRecord, QuotaSelection]>([
    [
      'a zone whose figures cannot be read',
      recordAfter({
        ...postpaid('z1'),
        rows: [{ type: 'postpaid', names: ['z1', 'z9'], unidentified: 0 }],
      }),
      zonal,
    ],
    [
      'a target of all zones that was asked for all zones',
      recordAfter({ ...postpaid('z1'), selection: { ...zonal, zones: null } }),
      { ...zonal, zones: null },
    ],
    ['a zone that was there once', recordAfter(postpaid('z1', 'z9'), postpaid('z1')), zonal],
    ['a target that never had an answer', recordAfter(), zonal],
    [
      'a zone that was not asked for yet',
      recordAfter(postpaid('z1', 'z9')),
      { ...zonal, zones: ['z1', 'z9', 'z10'] },
    ],
    ['types that have no zones', recordAfter(postpaid('z1')), { ...zonal, quotaTypes: ['image'] }],
    ['a target of all zones', recordAfter(postpaid('z1')), { ...zonal, zones: null }],
    [
      'a record with a row whose zone cannot be read',
      recordAfter({
        ...postpaid('z1'),
        rows: [{ type: 'postpaid', names: ['z1'], unidentified: 1 }],
      }),
      zonal,
    ],
  ])('names nothing of %s', (_what, record, selection) => {
    expect(neverAnsweredZones(record, target(selection))).toEqual([]);
  });
});
