import type { CheckReport } from './check-report.ts';
import { launchJson } from './json/launches.ts';
import { quotaFields } from './json/quotas.ts';
import { targetJson } from './json/targets.ts';
import { timestamp } from './json/list.ts';

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
    launches: launches.judged.map(launchJson),
    targets: targets.map((watched) => targetJson(watched, collectors)),
  };
}
