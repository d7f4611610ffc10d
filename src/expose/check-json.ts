import type { CheckReport, JudgedQuota } from './check-report.ts';
import { targetJson } from './web/json/targets.ts';
import { timestamp } from './web/json/timestamp.ts';

/**
 * A report for scripts. `targets` has the form of `/api/v1/targets`, with the same names and units.
 * `quotas` lists every quota again with its severity, the worst first.
 *
 * @param nowMs end of the check, in milliseconds since the Unix epoch
 */
export function checkJson(report: CheckReport, nowMs: number) {
  const { status, quotas, credentials, records, collectors } = report;
  return {
    status,
    checked_at: timestamp(nowMs),
    quotas: quotas.map(quotaJson),
    credentials,
    targets: records.map((record) =>
      targetJson(record, collectors, { nowMs, staleAfterMs: Infinity }),
    ),
  };
}

function quotaJson({ target, quota, remainingShare, severity, thresholds }: JudgedQuota) {
  return {
    severity,
    account: target.account,
    region: target.region,
    zone: quota.zone,
    quota_type: quota.type,
    unit: quota.unit,
    used: quota.used,
    remaining: quota.remaining,
    limit: quota.limit,
    remaining_ratio: remainingShare,
    thresholds,
  };
}
