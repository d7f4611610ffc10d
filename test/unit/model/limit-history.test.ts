import { describe, expect, it } from 'vitest';
import { changeOf } from '../../../src/model/change.ts';
import {
  compareLimits,
  countLimitsFromZero,
  forgetLimits,
  limitChangeTexts,
  maxAbsentLimits,
} from '../../../src/model/quota-history.ts';
import { quotaKey, type Quota } from '../../../src/model/quota.ts';

const quota = (zone: string | null, limit: number, type = 'image'): Quota => ({
  type,
  zone,
  unit: 'images',
  used: 1,
  remaining: limit - 1,
  limit,
});
const baseline = (...quotas: readonly Quota[]) => compareLimits([], quotas, 0).limits;

describe('quotaKey', () => {
  it('distinguishes the zones of a type, and the whole region', () => {
    expect(quotaKey(quota(null, 1))).toBe('image');
    expect(quotaKey(quota('z1', 1))).toBe('image/z1');
  });
});

describe('compareLimits', () => {
  it('compares each limit with its own last one', () => {
    const before = baseline(quota(null, 10), quota('z1', 10), quota('z2', 10), quota('z3', 10));

    const { limits, differences } = compareLimits(
      before,
      [quota('z2', 9), quota(null, 10), quota('z1', 11)],
      7_000,
    );

    expect(differences).toEqual([
      { kind: 'quota-limit-lowered', quotaType: 'image', zone: 'z2', from: 10, to: 9 },
      { kind: 'quota-limit-raised', quotaType: 'image', zone: 'z1', from: 10, to: 11 },
    ]);
    const image = { type: 'image', unit: 'images', raised: 0, lowered: 0 };
    const never = { raisedAtMs: null, loweredAtMs: null };
    expect(limits).toEqual([
      { ...image, zone: 'z2', limit: 9, lowered: 1, ...never, loweredAtMs: 7_000 },
      { ...image, zone: null, limit: 10, ...never },
      { ...image, zone: 'z1', limit: 11, raised: 1, ...never, raisedAtMs: 7_000 },
      { ...image, zone: 'z3', limit: 10, ...never },
    ]);
  });

  it('remembers a bounded number of absent quotas', () => {
    const many = Array.from({ length: maxAbsentLimits + 5 }, (_, index) => quota(`z${index}`, 1));

    const { limits } = compareLimits(baseline(...many), [quota(null, 1)], 0);

    expect(limits).toHaveLength(1 + maxAbsentLimits);
    expect(limits.at(-1)?.zone).toBe(`z${maxAbsentLimits - 1}`);
  });
});

describe('limits of another account', () => {
  it('are no change, and their counters go on', () => {
    const raised = compareLimits(baseline(quota(null, 10)), [quota(null, 20)], 1_000).limits;

    const { limits, differences } = compareLimits(forgetLimits(raised), [quota(null, 5)], 2_000);

    expect(differences).toEqual([]);
    expect(limits).toMatchObject([{ limit: 5, raised: 1, lowered: 0, raisedAtMs: 1_000 }]);
  });
});

describe('countLimitsFromZero', () => {
  it('keeps the limits, and the times of their last changes', () => {
    const raised = compareLimits(baseline(quota(null, 10)), [quota(null, 20)], 1_000).limits;
    const lowered = compareLimits(raised, [quota(null, 15)], 2_000).limits;

    expect(countLimitsFromZero(lowered)).toEqual([
      { ...baseline(quota(null, 15))[0], raisedAtMs: 1_000, loweredAtMs: 2_000 },
    ]);
  });
});

describe('limitChangeTexts', () => {
  const target = {
    account: 'production',
    region: 'ap-guangzhou',
    operation: 'DescribeAccountQuota',
  };
  const textOf = (kind: keyof typeof limitChangeTexts, zone: string | null) =>
    limitChangeTexts[kind](
      changeOf(target, 0, { kind, quotaType: 'image', zone, from: 10, to: 20 }),
    );

  it('name the quota, the direction, both limits, and the zone if there is one', () => {
    expect(textOf('quota-limit-raised', null)).toMatch(/^image .*raised.*10.*20$/);
    expect(textOf('quota-limit-lowered', 'z1')).toMatch(/^image .*lowered.*10.*20 in z1$/);
  });
});
