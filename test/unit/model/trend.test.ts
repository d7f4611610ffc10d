import { expect, it } from 'vitest';
import type { Quota } from '../../../src/model/quota.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { isGap, trendSchema, usePoints, usualStepMs, withTrend } from '../../../src/model/trend.ts';
import { quota as quotaWith, quotaTarget } from '../../support/fake-monitor.ts';
import { newRecord } from '../../support/records.ts';
import { rowsOf } from '../../support/rows.ts';

const dayStart = Date.UTC(2026, 1, 3);
const quota = (used: number, zone = 'ap-guangzhou-3') => quotaWith({ used, limit: 100, zone });

const at = (minutes: number) => dayStart + minutes * 60_000;

const unpolled = newRecord(quotaTarget('production', 'ap-guangzhou'));

/** A poll after a time in minutes, with these uses. `null` is a failure. */
function poll(
  record: TargetRecord,
  minutes: number,
  quotas: readonly Quota[] | null,
  stepMs = usualStepMs,
): TargetRecord {
  const lastSuccessAtMs = dayStart + minutes * 60_000;
  const { observed } = record;
  const next =
    quotas === null
      ? record
      : {
          ...record,
          observed: { ...observed, freshness: { ...observed.freshness, lastSuccessAtMs } },
        };
  return withTrend(next, () => quotas ?? [], stepMs);
}

const polls = (...each: readonly (readonly [minutes: number, used: number | null])[]) =>
  each.reduce(
    (record, [minutes, used]) => poll(record, minutes, used === null ? null : [quota(used)]),
    unpolled,
  );

const useOf = ({ observed }: TargetRecord) => observed.trend?.quotas[0]?.use ?? [];

it('the trend of a record has the use at the first success of each step, and its time', () => {
  const record = polls([0, 5], [5, 6], [10, 7], [16, 8], [20, 9], [30, 10]);

  expect(useOf(record)).toEqual([5, 8, 10]);
  expect(record.observed.trend?.times).toEqual([0, 16, 30].map(at));
  expect(trendSchema.parse(record.observed.trend)).toEqual(record.observed.trend);
});

it('the trend of a record is the same object until the next step, and no quota is read', () => {
  const record = poll(unpolled, 0, [quota(5)]);
  const freshness = { ...record.observed.freshness, polls: 7 };
  const next = { ...record, observed: { ...record.observed, freshness } };

  expect(
    withTrend(
      next,
      () => {
        throw new Error('a quiet poll must not read the quotas');
      },
      usualStepMs,
    ),
  ).toBe(next);
});

it('the trend of a record has no point for a step without a success', () => {
  const record = polls([0, 5], [15, null], [30, null], [46, 6]);

  expect(useOf(record)).toEqual([5, 6]);
  expect(record.observed.trend?.times).toEqual([0, 46].map(at));
});

it('the trend of a record forgets what is older than 24 hours', () => {
  const day = Array.from({ length: 120 }, (_, i) => [i * 15, i] as const);

  expect(useOf(polls(...day))).toEqual(Array.from({ length: 97 }, (_, i) => 23 + i));
  expect(polls(...day).observed.trend?.times).toHaveLength(97);
  expect(useOf(polls([0, 5], [24 * 60, 6]))).toEqual([5, 6]);
  expect(useOf(polls([0, 5], [24 * 60 + 15, 6]))).toEqual([6]);
});

it('the trend of a record drops the points of a time that the clock was set back from', () => {
  expect(useOf(polls([0, 5], [15, 6], [30, 7], [16, 8]))).toEqual([5, 8]);
  expect(useOf(polls([0, 5], [15, 6], [-60, 8]))).toEqual([8]);
  // A step of some seconds around a boundary.
  expect(useOf(polls([0, 5], [15, 6], [14.9, 6], [15.1, 7]))).toEqual([6, 7]);
});

it('the trend of a record goes on with steps of another length, over as many of them', () => {
  const quick = polls([0, 5], [15, 6], [16, 7], [30, 8]);

  expect(useOf(poll(quick, 40, [quota(9)], 10 * 60_000))).toEqual([5, 6, 8, 9]);
  expect(useOf(poll(quick, 31, [quota(9)], 2_000))).toEqual([8, 9]);
  expect(poll(quick, 31, [quota(9)], 2_000).observed.trend?.stepMs).toBe(2_000);
});

it('the trend of a record knows nothing of a quota while it is absent, and forgets it after a day', () => {
  const both = [quota(1, 'a'), quota(2, 'b')];
  const without = poll(poll(unpolled, 0, both), 15, [quota(1, 'a')]);
  const again = poll(without, 30, both);

  expect(again.observed.trend?.quotas.map(({ use }) => use)).toEqual([
    [1, 1, 1],
    [2, null, 2],
  ]);
  expect(poll(again, 45, [...both, quota(3, 'c')]).observed.trend?.quotas[2]?.use).toEqual([
    ...[null, null, null],
    3,
  ]);
  expect(poll(without, 24 * 60 + 15, [quota(1, 'a')]).observed.trend?.quotas).toHaveLength(1);
});

it('the trend of a record has no quota when all of them were absent for a day', () => {
  const without = poll(poll(unpolled, 0, [quota(1)]), 15, []);

  expect(useOf(without)).toEqual([1, null]);
  expect(poll(without, 24 * 60 + 15, []).observed.trend?.quotas).toEqual([]);
});

it('the trend of a record holds a bounded number of absent quotas', () => {
  const zones = (first: number) =>
    Array.from({ length: 400 }, (_, i) => quota(1, `zone-${first + i}`));

  const record = poll(poll(unpolled, 0, zones(0)), 15, zones(400));

  expect(record.observed.trend?.quotas).toHaveLength(500);
});

it('the trend of a record is absent without a success and without a quota', () => {
  expect(withTrend(unpolled, () => [quota(1)], usualStepMs)).toBe(unpolled);
  expect(poll(unpolled, 0, []).observed.trend).toBeUndefined();
});

it('the points of a quota have the times of their polls, and end with the last success', () => {
  const record = polls([3, 5], [18, 6], [24, 9]);

  expect(usePoints(record.observed, quota(9))).toEqual([
    { atMs: at(3), used: 5 },
    { atMs: at(18), used: 6 },
    { atMs: at(24), used: 9 },
  ]);
  expect(usePoints(polls([3, 5], [18, 6], [17, 9]).observed, quota(9))).toEqual([
    { atMs: at(3), used: 5 },
    { atMs: at(17), used: 9 },
  ]);
});

it('the points of a quota are the present use of a quota without a trend, and none before the first success', () => {
  const { trend: _, ...untrended } = polls([3, 5]).observed;

  expect(usePoints(untrended, quota(5))).toEqual([{ atMs: dayStart + 180_000, used: 5 }]);
  expect(usePoints(polls([3, 5], [18, 6]).observed, quota(8, 'new'))).toEqual([
    { atMs: at(3), used: null },
    { atMs: at(18), used: 8 },
  ]);
  expect(usePoints(unpolled.observed, quota(5))).toEqual([]);
});

it.each(rowsOf<[string, number[], (number | null)[], boolean]>('model', 'stored-trends'))(
  'what is stored is %s',
  (_what, times, last, isTrend) => {
    const quotas = [[1, 2], last].map((use) => ({ type: 'postpaid', zone: null, use }));

    expect(trendSchema.safeParse({ stepMs: usualStepMs, times, quotas }).success).toBe(isTrend);
  },
);

it.each([
  ['no gap to one of the next step', [1, 29], 10, false],
  ['no gap to one that is in time', [1, 46], 45, false],
  ['a gap to one that is too late, and of a later step', [1, 31], 29, true],
])('a point has %s', (_what, [from = 0, to = 0], staleAfter, expected) => {
  const [first, next] = [at(from), at(to)].map((atMs) => ({ atMs, used: 1 }));

  expect(isGap(unpolled.observed, first!, next!, staleAfter * 60_000)).toBe(expected);
});
