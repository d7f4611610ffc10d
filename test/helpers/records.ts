/** Records of one kind each, for tests that need some record and say only what matters of it. */
import { advance } from '../../src/model/advance.ts';
import { newRecord, type TargetRecord } from '../../src/model/record.ts';
import { quotaSnapshot } from './snapshots.ts';

/** The record of a region's quotas after one poll, which found this limit. */
export function quotaRecord(region: string, limit = 250): TargetRecord {
  const selection = { quotaTypes: ['postpaid' as const], zones: null };
  const fresh = newRecord({
    account: 'production',
    region,
    operation: 'DescribeAccountQuota',
    selection,
  });
  const zone = `${region}-1`;
  const quota = { type: 'postpaid' as const, zone, used: 2, remaining: limit - 2, limit };
  const outcome = {
    ok: true as const,
    snapshot: quotaSnapshot({ selection, quotas: [{ ...quota, onceLimit: null }] }),
    anomalies: [],
    durationMs: 12.5,
  };
  return advance(fresh, outcome, 1_700_000_000_000).record;
}
