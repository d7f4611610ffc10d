/** Records of one kind each, for tests that set only the relevant fields. */
import { advance, newRecord } from './advance.ts';
import { neverPolled, type TargetRecord } from '../../src/model/record.ts';
import { quotaSnapshot } from './snapshots.ts';
import type { QuotaTarget } from '../../src/collectors/quota/quota.ts';

/** The record as a store gives it back: the counters of polls begin at 0 with each process. */
export function asStored(record: TargetRecord): TargetRecord {
  const { lastPoll, lastSuccessAtMs, failure } = record.seen.freshness;
  const freshness = { ...neverPolled, lastPoll, lastSuccessAtMs, failure };
  return { ...record, seen: { ...record.seen, freshness } };
}

/** The stored record of the quotas of a region after one poll, with this limit. */
export function quotaRecord(region: string, limit = 250): TargetRecord {
  const selection = { quotaTypes: ['postpaid' as const], zones: null };
  const target: QuotaTarget = {
    account: 'production',
    region,
    operation: 'DescribeAccountQuota',
    selection,
  };
  const fresh = newRecord(target);
  const zone = `${region}-1`;
  const quota = {
    type: 'postpaid' as const,
    zone,
    unit: 'instances',
    used: 2,
    remaining: limit - 2,
    limit,
  };
  const outcome = {
    ok: true as const,
    snapshot: quotaSnapshot({ selection, quotas: [{ ...quota, onceLimit: null }] }),
    anomalies: [],
    durationMs: 12.5,
  };
  return asStored(advance(fresh, outcome, 1_700_000_000_000).record);
}
