import type { CheckReport } from './check-report.ts';
import { launchJson } from './json/launches.ts';
import { judgedQuotaFields } from './json/quotas.ts';
import { targetJson } from './json/targets.ts';
import { timestamp } from './json/list.ts';
import { resourceOf, type QuotaRow } from './watched.ts';

/**
 * A report for scripts. `targets` has the form of `/api/v1/targets`, with the same names and units.
 * `quotas` lists every quota again with its severity, and `launches` every launch, the worst first.
 *
 * @param nowMs end of the check, in milliseconds since the Unix epoch
 */
export function checkJson(report: CheckReport, nowMs: number) {
  const { status, launches, quotas, credentials, targets, collectors } = report;
  return {
    status,
    checked_at: timestamp(nowMs),
    quotas: quotas.map(quotaJson),
    launches: launches.judged.map(launchJson),
    credentials,
    targets: targets.map((watched) => targetJson(watched, collectors)),
  };
}

function quotaJson(row: QuotaRow) {
  const { severity, watched } = row;
  const { account, region } = watched.record.target;
  return { severity, account, region, ...resourceOf(row), ...judgedQuotaFields(row) };
}
