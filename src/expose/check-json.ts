import { unitOf } from '../model/snapshot.ts';
import type { CheckReport, JudgedQuota } from './check-report.ts';
import { targetJson } from './web/json/targets.ts';
import { timestamp } from './web/json/timestamp.ts';

/**
 * A report for scripts. Names and units are those of `/api/v1/targets`, whose form `targets` has;
 * `quotas` holds every quota once more, the worst first, with what became of it.
 *
 * @param nowMs when the check ended; milliseconds since the Unix epoch
 */
export function checkJson({ status, thresholds, quotas, records }: CheckReport, nowMs: number) {
  return {
    status,
    checked_at: timestamp(nowMs),
    thresholds: { warn_below: thresholds.warnBelow, critical_below: thresholds.criticalBelow },
    quotas: quotas.map(quotaJson),
    targets: records.map((record) => targetJson(record, { nowMs, staleAfterMs: Infinity })),
  };
}

function quotaJson({ target, quota, remainingShare, severity }: JudgedQuota) {
  return {
    severity,
    account: target.account,
    region: target.region,
    zone: quota.zone,
    quota_type: quota.type,
    unit: unitOf[quota.type],
    used: quota.used,
    remaining: quota.remaining,
    limit: quota.limit,
    remaining_ratio: remainingShare,
  };
}
