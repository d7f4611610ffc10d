/** What a single poll of everything comes to: the quotas by how near they are to their end, and a verdict. */
import type { LaunchTemplateRecord, TargetRecord } from '../model/record.ts';
import type { Quota } from '../model/snapshot.ts';
import type { QuotaTarget } from '../model/target.ts';
import {
  compareStanding,
  remainingShare,
  severityOf,
  type Severity,
  type Thresholds,
} from './quota-standing.ts';

/** `unknown`: a target could not be polled, so what it watches may be in any state. */
export type CheckStatus = Severity | 'unknown';

export interface JudgedQuota {
  readonly target: QuotaTarget;
  readonly quota: Quota;
  /** From 0 to 1; `null` for a limit of 0, which is never a warning. */
  readonly remainingShare: number | null;
  readonly severity: Severity;
}

export interface CheckReport {
  readonly status: CheckStatus;
  readonly thresholds: Thresholds;
  /** In the order of the configuration. */
  readonly records: readonly TargetRecord[];
  /** The worst first. */
  readonly quotas: readonly JudgedQuota[];
  readonly templates: readonly LaunchTemplateRecord[];
  readonly failed: readonly TargetRecord[];
}

/** Judges records of which each was polled just now. */
export function checkReport(records: readonly TargetRecord[], thresholds: Thresholds): CheckReport {
  const quotas = records
    .flatMap((record) => judgedQuotas(record, thresholds))
    .sort((a, b) => compareStanding(a.quota, b.quota));
  const failed = records.filter(({ freshness }) => freshness.failure !== null);
  return {
    status: statusOf(quotas, failed.length > 0),
    thresholds,
    records,
    quotas,
    templates: records.filter(isPolledTemplate),
    failed,
  };
}

/**
 * A status claims that nothing is worse, save `critical`, above which there is nothing. So a failed
 * target outweighs a warning, behind which it may hide something critical, but no critical quota.
 */
function statusOf(quotas: readonly JudgedQuota[], hasFailed: boolean): CheckStatus {
  const has = (wanted: Severity) => quotas.some(({ severity }) => severity === wanted);
  if (has('critical')) return 'critical';
  if (hasFailed) return 'unknown';
  return has('warning') ? 'warning' : 'fine';
}

function judgedQuotas(record: TargetRecord, thresholds: Thresholds): JudgedQuota[] {
  if (record.kind !== 'quota' || record.snapshot === null) return [];
  const { target } = record;
  return record.snapshot.quotas.map((quota) => ({
    target,
    quota,
    remainingShare: remainingShare(quota),
    severity: severityOf(quota, thresholds),
  }));
}

function isPolledTemplate(record: TargetRecord): record is LaunchTemplateRecord {
  return record.kind === 'launch-template' && record.snapshot !== null;
}
