import { expect, it } from 'vitest';
import { differInFreshnessOnly, neverPolled } from '../../../src/model/record.ts';
import { quotaRecord } from '../../helpers/records.ts';

const record = quotaRecord('ap-guangzhou');

it('finds every difference besides the freshness and the trend', () => {
  const trend = { stepMs: 900_000, lastStep: 7, quotas: [] };
  expect(differInFreshnessOnly(record, { ...record, seen: { ...record.seen, trend } })).toBe(true);
  expect(
    differInFreshnessOnly(record, { ...record, seen: { ...record.seen, freshness: neverPolled } }),
  ).toBe(true);
  expect(differInFreshnessOnly(record, record)).toBe(true);
  expect(
    differInFreshnessOnly(record, { ...record, counted: { ...record.counted, appId: 7 } }),
  ).toBe(false);
  expect(
    differInFreshnessOnly(record, { ...record, counted: { ...record.counted }, seen: record.seen }),
  ).toBe(false);
});

it('has counted nothing before the first poll', () => {
  expect(neverPolled).toEqual({
    lastPoll: null,
    lastSuccessAtMs: null,
    failure: null,
    polls: 0,
    failures: {},
    anomalies: {},
  });
});
