/** The result of one poll of every target: a verdict, and the quotas, the worst first. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import type { Thresholds } from '../model/thresholds.ts';
import { launchJson } from './json/launches.ts';
import { timestamp } from './json/list.ts';
import { quotaFields } from './json/quotas.ts';
import { targetJson } from './json/targets.ts';
import { evaluateLaunches } from './evaluation.ts';
import { verdictOf } from './verdict.ts';
import { compareUrgency, evaluateRecord } from './evaluated-record.ts';

export type CheckReport = Readonly<ReturnType<typeof checkReport>>;

export interface CheckReportOptions {
  /** Without the overrides that have ended. */
  readonly thresholds: Thresholds;
  readonly collectors: CollectorSet;
  /** What was to be polled. Also what was left out, because the service refuses its region. */
  readonly planned: readonly Target[];
}

/** Evaluates records directly after their poll. */
export function checkReport(
  records: readonly TargetRecord[],
  { collectors, planned, thresholds }: CheckReportOptions,
) {
  const polls = records.map(({ observed }) => observed.freshness.lastPoll?.atMs ?? 0);
  const nowMs = Math.max(0, ...polls);
  const settings = { collectors, thresholds, nowMs, staleAfterMs: Infinity };
  const targets = records.map((record) => evaluateRecord(record, settings));
  const launches = evaluateLaunches(targets, thresholds).filter(
    ({ unjudged }) => unjudged === null,
  );
  const quotas = targets.flatMap((each) => each.quotas);
  const found = new Set(quotas.map(({ evaluated }) => evaluated.record.target.account));
  const watching = planned
    .filter((target) => collectors.of(target).reportableQuotas(target).length > 0)
    .map(({ account }) => account);
  // The accounts that watch quotas, and whose answers had none.
  const silent = [...new Set(watching)].filter((account) => !found.has(account));
  return {
    verdict: verdictOf(targets, launches, silent),
    collectors,
    targets,
    launches,
    /** The worst first. */
    quotas: quotas.toSorted(compareUrgency),
  };
}

/**
 * A report for scripts. `targets` has the form of `/api/v1/targets`, with the same names and units.
 * `quotas` lists every quota again with its severity, and `launches` every launch, the worst first.
 *
 * @param nowMs end of the check, in milliseconds since the Unix epoch
 */
export function checkJson(report: CheckReport, nowMs: number) {
  const { collectors, launches, quotas, targets, verdict } = report;
  return {
    status: verdict.level,
    checked_at: timestamp(nowMs),
    quotas: quotas.map(quotaFields),
    launches: launches.map(launchJson),
    targets: targets.map((watched) => targetJson(watched, collectors)),
  };
}
