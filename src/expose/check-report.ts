/** The result of one poll of every target: a verdict, and the quotas, the worst first. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { thresholdsOf, type Thresholds } from '../model/thresholds.ts';
import { credentialsProblems, type CredentialsProblem } from './credentials-problems.ts';
import { compareUrgency, judgementOf, type Judgement, type Severity } from './severity.ts';

/**
 * `unknown`: a target could not be polled, or its answer lacked something. A worse state may be hidden.
 */
export type CheckStatus = Severity;

export interface JudgedQuota extends Judgement {
  readonly target: Target;
}

export interface CheckReport {
  readonly status: CheckStatus;
  readonly collectors: CollectorSet;
  /** In the order of the configuration. */
  readonly records: readonly TargetRecord[];
  /** The worst quota first. */
  readonly quotas: readonly JudgedQuota[];
  readonly failed: readonly TargetRecord[];
  /** The accounts whose credentials fail. Their targets are in `failed`, too. */
  readonly credentials: readonly CredentialsProblem[];
  /** The targets with an incomplete answer. */
  readonly incomplete: readonly TargetRecord[];
}

/**
 * Evaluates records directly after their poll.
 *
 * @param thresholds without the overrides that have ended
 */
export function checkReport(
  records: readonly TargetRecord[],
  thresholds: Thresholds,
  collectors: CollectorSet,
): CheckReport {
  const quotas = records
    .flatMap((record) => judgedQuotas(record, thresholds, collectors))
    .sort(compareUrgency);
  const failed = records.filter(({ seen }) => seen.freshness.failure !== null);
  const incomplete = records.filter(({ seen }) => (seen.snapshot?.missing.length ?? 0) > 0);
  const isUnknown = failed.length > 0 || incomplete.length > 0;
  const status = statusOf(quotas, isUnknown);
  const credentials = credentialsProblems(failed);
  return { status, collectors, records, quotas, failed, credentials, incomplete };
}

/** The quotas and targets with a problem. The status stays that of everything. */
export function problemsOf(report: CheckReport): CheckReport {
  const { failed, incomplete } = report;
  return {
    ...report,
    records: report.records.filter((each) => failed.includes(each) || incomplete.includes(each)),
    quotas: report.quotas.filter(({ severity }) => severity !== 'fine'),
  };
}

/**
 * `unknown` has priority over a warning, because it may hide a critical quota. It has no priority over
 * `critical`, because nothing is worse.
 */
function statusOf(quotas: readonly JudgedQuota[], isUnknown: boolean): CheckStatus {
  const has = (wanted: Severity) => quotas.some(({ severity }) => severity === wanted);
  if (has('critical')) return 'critical';
  if (isUnknown || has('unknown')) return 'unknown';
  return has('warning') ? 'warning' : 'fine';
}

function judgedQuotas(
  record: TargetRecord,
  thresholds: Thresholds,
  collectors: CollectorSet,
): JudgedQuota[] {
  const { target } = record;
  const thresholdsOfTarget = thresholdsOf(thresholds, target);
  return collectors
    .of(target)
    .quotas(record)
    .map((quota) => ({ target, ...judgementOf(quota, thresholdsOfTarget) }));
}
