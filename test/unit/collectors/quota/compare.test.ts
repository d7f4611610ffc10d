import { unitOf, type QuotaTarget } from '../../../../src/collectors/quota/target.ts';
import { describe, expect, it } from 'vitest';
import { compareQuotas } from '../../../../src/collectors/quota/compare.ts';
import { maxAbsentLimits } from '../../../../src/model/limit-history.ts';
import { newRecord } from '../../../helpers/advance.ts';
import type { QuotaRecord } from '../../../../src/collectors/quota/record.ts';
import type {
  AccountQuota as Quota,
  QuotaSnapshot,
} from '../../../../src/collectors/quota/record.ts';
import type { QuotaSelection, QuotaType } from '../../../../src/collectors/quota/target.ts';

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
    unit: unitOf[type],
    used,
    remaining: limit - used,
    limit,
    onceLimit: null,
  }));
  return { kind: 'quota', missing: [], appId: null, selection, quotas, groupInstanceLimits: null };
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
  const found = snapshots.map((each) => {
    const compared = compareQuotas(record, each);
    record = compared.record;
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
    expect(record.limits).toEqual([
      { type: 'postpaid', zone: 'z1', limit: 100, raised: 0, lowered: 0 },
    ]);
  });

  it('counts each direction of a limit', () => {
    const limits = [5, 7, 7, 6, 9];

    const { record } = poll(...limits.map((limit) => snapshot([['postpaid', 'z1', limit]])));

    expect(record.limits).toMatchObject([{ limit: 9, raised: 2, lowered: 1 }]);
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
    expect(record.limits).toMatchObject([{ zone: 'z1' }, { zone: 'z2', raised: 1 }]);
  });

  it('takes a zone or type that is asked for anew, or no more, for no change', () => {
    const narrow: QuotaSelection = { quotaTypes: ['postpaid'], zones: ['z1'] };
    const wide = [z1, z2, ['prepaid', 'z3', 1] as const];

    const { found } = poll(snapshot(wide), snapshot([z1], narrow), snapshot(wide));

    expect(found).toEqual([[], [], []]);
  });

  it('remembers a bounded number of quotas that are away, the newest first', () => {
    const rows = Array.from({ length: maxAbsentLimits + 5 }, (_, index): Row => {
      return ['postpaid', `z${index}`, 1];
    });

    const { record } = poll(snapshot([z1]), snapshot(rows), snapshot([]));

    expect(record.limits).toHaveLength(maxAbsentLimits);
    expect(record.limits[0]).toMatchObject({ zone: 'z0' });
  });
});
