/** Records of one kind each, for tests that need some record and say only what matters of it. */
import { advance } from '../../src/model/advance.ts';
import { newRecord, type TargetRecord } from '../../src/model/record.ts';
import type { Target } from '../../src/model/target.ts';

/** What a store is asked for to give these records back. */
export const targetsOf = (...records: readonly TargetRecord[]): readonly Target[] =>
  records.map(({ target }) => target);

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
    snapshot: {
      kind: 'quota' as const,
      appId: 251_007_416,
      selection,
      quotas: [{ ...quota, onceLimit: null }],
      groupInstanceLimits: null,
    },
    anomalies: [],
    durationMs: 12.5,
  };
  return advance(fresh, outcome, 1_700_000_000_000).record;
}
