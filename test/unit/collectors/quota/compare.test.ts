import { quotaSnapshot } from '../../../helpers/snapshots.ts';
import { compareQuotas } from '../../../../src/collectors/quota/compare.ts';
import { continueRecord, newRecord } from '../../../helpers/advance.ts';
import { maxAbsentLimits } from '../../../../src/model/quota-history.ts';
import {
  presentLimits,
  type QuotaRecord,
  type AccountQuota as Quota,
  type QuotaSnapshot,
} from '../../../../src/collectors/quota/record.ts';
import { quotaKey } from '../../../../src/model/quota.ts';
import {
  type QuotaSelection,
  type QuotaType,
  quotaSets,
} from '../../../../src/collectors/quota/selection.ts';
import type { QuotaTarget } from '../../../../src/collectors/quota/quota.ts';
import { describe, expect, it } from 'vitest';

const everything: QuotaSelection = {
  quotaTypes: ['postpaid', 'prepaid', 'spotpaid', 'disaster_recover_group', 'image'],
  zones: null,
};

/** A quota as `[type, zone, limit, used]`. */
type Row = readonly [QuotaType, string | null, number, number?];

function snapshot(rows: readonly Row[], selection = everything): QuotaSnapshot {
  const quotas = rows.map(([type, zone, limit, used = 0]): Quota => ({
    type,
    zone,
    unit: quotaSets[type].unit,
    used,
    remaining: limit - used,
    limit,
    onceLimit: null,
  }));
  return quotaSnapshot({ appId: null, selection, quotas });
}

/** The record after these polls, and what each of them found. */
function poll(...snapshots: readonly QuotaSnapshot[]) {
  const target: QuotaTarget = {
    operation: 'DescribeAccountQuota',
    account: 'production',
    region: 'ap-guangzhou',
    selection: everything,
  };
  let record = newRecord(target) as QuotaRecord;
  const found = snapshots.map((each, index) => {
    const compared = compareQuotas(record, each, index * 1_000);
    record = { ...record, counted: compared.counted, seen: { ...record.seen, snapshot } };
    return compared.differences;
  });
  return { record, found };
}

const z1: Row = ['postpaid', 'z1', 100];
const z2: Row = ['postpaid', 'z2', 100];

describe('compareQuotas', () => {
  it.each<[string, Row[], Row[], unknown[]]>([
    ['the same quotas', [z1], [z1], []],
    [
      'a limit that rose',
      [z1],
      [['postpaid', 'z1', 150]],
      [{ kind: 'quota-limit-raised', quotaType: 'postpaid', zone: 'z1', from: 100, to: 150 }],
    ],
    [
      'a limit that fell to 0',
      [z1],
      [['postpaid', 'z1', 0]],
      [{ kind: 'quota-limit-lowered', quotaType: 'postpaid', zone: 'z1', from: 100, to: 0 }],
    ],
    [
      'a limit of the whole region',
      [['image', null, 10]],
      [['image', null, 20]],
      [{ kind: 'quota-limit-raised', quotaType: 'image', zone: null, from: 10, to: 20 }],
    ],
    [
      'used prepaid quotas at the turn of the month',
      [['prepaid', 'z1', 9, 7]],
      [['prepaid', 'z1', 9]],
      [],
    ],
    [
      'a zone that came',
      [z1],
      [z1, z2],
      [{ kind: 'zone-appeared', zone: 'z2', from: null, to: 'z2' }],
    ],
    [
      'a zone that went',
      [z1, z2],
      [z1],
      [{ kind: 'zone-disappeared', zone: 'z2', from: 'z2', to: null }],
    ],
    ['a quota type that came to a known zone', [z1], [z1, ['spotpaid', 'z1', 5]], []],
    ['the last quota of a region that went', [['image', null, 10]], [], []],
  ])('finds in %s what changed', (_, before, after, expected) => {
    expect(poll(snapshot(before), snapshot(after)).found[1]).toEqual(expected);
  });

  it('takes the first snapshot as the baseline, with counters at 0', () => {
    const { record, found } = poll(snapshot([z1]));

    expect(found).toEqual([[]]);
    expect(record.counted.limits).toEqual([
      {
        ...{ type: 'postpaid', zone: 'z1', unit: 'instances', limit: 100 },
        ...{ raised: 0, lowered: 0, raisedAtMs: null, loweredAtMs: null },
      },
    ]);
  });

  it('counts each direction of a limit, with the time of the last change', () => {
    const limits = [5, 7, 7, 6, 9];

    const { record } = poll(...limits.map((limit) => snapshot([['postpaid', 'z1', limit]])));

    expect(record.counted.limits).toMatchObject([
      { limit: 9, raised: 2, raisedAtMs: 4_000, lowered: 1, loweredAtMs: 3_000 },
    ]);
  });

  it('compares a limit with the last one known while its zone was away', () => {
    const { record, found } = poll(
      snapshot([z1, z2]),
      snapshot([z1]),
      snapshot([z1, ['postpaid', 'z2', 120]]),
    );

    expect(found[2]).toMatchObject([
      { kind: 'zone-appeared', zone: 'z2' },
      { kind: 'quota-limit-raised', zone: 'z2', from: 100, to: 120 },
    ]);
    expect(record.counted.limits).toMatchObject([{ zone: 'z1' }, { zone: 'z2', raised: 1 }]);
  });

  it('finds no change in a zone or type that is asked for again, or no longer', () => {
    const narrow: QuotaSelection = { quotaTypes: ['postpaid'], zones: ['z1'] };
    const wide = [z1, z2, ['prepaid', 'z3', 1] as const];

    const { found } = poll(snapshot(wide), snapshot([z1], narrow), snapshot(wide));

    expect(found).toEqual([[], [], []]);
  });

  const types: QuotaSelection = { quotaTypes: ['postpaid', 'spotpaid'], zones: null };
  const s1: Row = ['spotpaid', 'z1', 10];
  const s2: Row = ['spotpaid', 'z2', 10];

  /** An answer whose rows of a type have these names, as far as they can be read. */
  const partly = (rows: readonly Row[], read: Partial<Record<QuotaType, [string[], number]>>) => {
    const all = snapshot(rows, types);
    return {
      ...all,
      rows: all.rows.flatMap((row) => {
        const [names, unidentified] = read[row.type] ?? [row.names, row.unidentified];
        return { ...row, names, unidentified };
      }),
    };
  };
  const complete = snapshot([z1, z2, s1, s2], types);

  it.each<[string, QuotaSnapshot]>([
    ['a row without a name', partly([z1], { postpaid: [['z1'], 1], spotpaid: [['z1'], 1] })],
    [
      'a row without figures',
      partly([z1], { postpaid: [['z1', 'z2'], 0], spotpaid: [['z1', 'z2'], 0] }),
    ],
    ['a set that is none', { ...snapshot([z1, z2], types), rows: complete.rows.slice(0, 1) }],
    ['no quota at all', { ...snapshot([], types), rows: [] }],
    ['a zone in one of two sets', snapshot([z1, z2, s1], types)],
  ])('finds no change in %s, nor when all is back', (_what, incomplete) => {
    const { record, found } = poll(complete, incomplete, complete);

    expect(found).toEqual([[], [], []]);
    expect(record.counted.limits).toHaveLength(4);
  });

  it('keeps what is known when an answer has no row, also of another selection', () => {
    const { record } = poll(complete);
    const narrow: QuotaSelection = { quotaTypes: ['postpaid'], zones: ['z1'] };
    const empty = { ...snapshot([], narrow), rows: [] };

    expect(compareQuotas(record, empty, 0).counted.inventory).toBe(record.counted.inventory);
    expect(poll(empty).record.counted.inventory).toBeNull();
  });

  it('knows no rows of a type whose set was never a list', () => {
    const { record } = poll({ ...complete, rows: complete.rows.slice(0, 1) });

    expect(record.counted.inventory?.types).toEqual([
      { type: 'postpaid', known: ['z1', 'z2'], unidentified: 0 },
    ]);
  });

  it('knows a zone by the set that was no list, as long as the selection stays', () => {
    const oneZone: QuotaSelection = { ...types, zones: ['z1'] };
    const noSpotSet = (rows: readonly Row[], selection: QuotaSelection) => {
      const all = snapshot(rows, selection);
      return { ...all, rows: all.rows.slice(0, 1) };
    };

    expect(poll(complete, noSpotSet([z1], types)).found[1]).toEqual([]);
    // Of the other zones, nothing is known yet.
    const { found } = poll(
      snapshot([z1, s1], oneZone),
      noSpotSet([z1], types),
      snapshot([z1, s1, s2], types),
    );
    expect(found).toEqual([[], [], []]);
  });

  it('finds a zone that went from one set while its row in the other cannot be read', () => {
    const hidden = partly([z1, s1], { spotpaid: [['z1'], 1] });

    const { found } = poll(complete, hidden, snapshot([z1, s1], types));

    expect(found[1]).toEqual([]);
    expect(found[2]).toEqual([{ kind: 'zone-disappeared', zone: 'z2', from: 'z2', to: null }]);
  });

  it('finds zones that come and go beside a row that is never read', () => {
    const beside = (...rows: Row[]) =>
      partly(rows, { postpaid: [rows.map(([, zone]) => zone ?? ''), 1] });

    const { found } = poll(beside(z1), beside(z1, z2), beside(z2));

    expect(found).toMatchObject([
      [],
      [{ kind: 'zone-appeared', zone: 'z2' }],
      [{ kind: 'zone-disappeared', zone: 'z1' }],
    ]);
  });

  it.each<[string, QuotaSnapshot, string[]]>([
    [
      'cannot be read',
      partly([z1], { postpaid: [['z1'], 1], spotpaid: [[], 2] }),
      ['postpaid/z1', 'postpaid/z2', 'spotpaid/z1', 'spotpaid/z2'],
    ],
    ['went', snapshot([z1], types), ['postpaid/z1']],
  ])('tells which limits are there when a row %s', (_what, after, expected) => {
    const { record } = poll(complete, after);

    const target = { ...record.target, selection: types };
    expect(
      presentLimits({ ...record, target })
        .map(quotaKey)
        .toSorted(),
    ).toEqual(expected);
  });

  it('knows no limits before the first answer, nor of quotas that nothing is known of', () => {
    const { record } = poll(complete);

    expect(presentLimits(poll().record)).toEqual([]);
    expect(
      presentLimits({
        ...record,
        counted: { ...record.counted, inventory: null },
        seen: { ...record.seen, snapshot: null },
      }),
    ).toEqual([]);
    expect(
      presentLimits({ ...record, seen: { ...record.seen, snapshot: null } }).map(quotaKey),
    ).toEqual(record.counted.limits.map(quotaKey));
  });

  it('finds no change of zones after a reload between two answers that lack different rows', () => {
    const narrow: QuotaSelection = { quotaTypes: ['postpaid'], zones: ['z1'] };
    const before = poll(partly([z1, z2], { postpaid: [['z2'], 1] })).record;

    const continued = continueRecord(before, {
      ...before.target,
      selection: narrow,
    } as QuotaTarget);

    const after = snapshot([z1], narrow);
    expect(compareQuotas(continued as QuotaRecord, after, 0).differences).toEqual([]);
  });

  it('remembers a bounded number of quotas that are away, the newest first', () => {
    const rows = Array.from({ length: maxAbsentLimits + 5 }, (_, index): Row => {
      return ['postpaid', `z${index}`, 1];
    });

    const { record } = poll(snapshot([z1]), snapshot(rows), snapshot([]));

    expect(record.counted.limits).toHaveLength(maxAbsentLimits);
    expect(record.counted.limits[0]).toMatchObject({ zone: 'z0' });
  });
});
