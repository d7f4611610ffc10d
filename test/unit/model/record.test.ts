import { expect, it } from 'vitest';
import { differInFreshnessOnly, neverPolled } from '../../../src/model/record.ts';
import { quotaRecord } from '../../helpers/records.ts';

const record = quotaRecord('ap-guangzhou');

it('finds every difference besides the freshness and the trend', () => {
  const trend = { stepMs: 900_000, lastStep: 7, quotas: [] };
  expect(differInFreshnessOnly(record, { ...record, trend })).toBe(true);
  expect(differInFreshnessOnly(record, { ...record, freshness: neverPolled })).toBe(true);
  expect(differInFreshnessOnly(record, record)).toBe(true);
  expect(differInFreshnessOnly(record, { ...record, appId: 7 })).toBe(false);
  expect(differInFreshnessOnly(record, { ...record, freshness: neverPolled, appId: 7 })).toBe(
    false,
  );
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
