/** Records of one kind each, for tests that need some record and say only what matters of it. */
import type { QuotaTarget } from '../../src/collectors/quota/target.ts';
import { advance } from './advance.ts';
import { newRecord } from './advance.ts';
import type { TargetRecord } from '../../src/model/record.ts';

/** The record of a region's quotas after one poll, which found this limit. */
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
    snapshot: {
      kind: 'quota' as const,
      missing: [],
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
