/**
 * The answer of `/api/v1/quotas`, which `app.ts` routes: the quotas as JSON, or as comma-separated values (RFC 4180) that a
 * spreadsheet can open without risk.
 */
import { mapWithYields, type Pace } from '../../model/async.ts';
import { quotaKey } from '../../model/quota.ts';
import { targetKey } from '../../model/target.ts';
import { trendOf } from '../../model/trend.ts';
import { jsonAnswer, listJson, textAnswer, timestamp } from '../answers.ts';
import { labelValues, matchesFilter, parseQuery, quotaLabels, type ListAnswer } from '../filter.ts';
import type { EvaluatedQuota } from '../evaluation.ts';
import { severityOf } from '../display-state.ts';

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="quotas.csv"',
};

/** The quotas of the last answers, in the order of the configuration. */
export const quotasAnswer: ListAnswer = async (evaluator, query, pace) => {
  const { targets } = await evaluator.evaluate(pace);
  const labels = await labelValues(targets, evaluator.view.collectors, pace);
  const { filter, options } = parseQuery(query, labels, { format: ['json', 'csv'] });
  const quotas = targets
    .flatMap((evaluated) => evaluated.quotas)
    .filter((quota) => matchesFilter(filter, quotaLabels(quota)));
  return options.get('format') === 'csv'
    ? textAnswer(200, await csv(quotas, pace), csvHeaders)
    : jsonAnswer([await listJson('quotas', quotas, quotaJson, pace)]);
};

/** The fields that `check` reports, too: the labels of a quota, its numbers, and what its thresholds make of them. */
export function quotaFields(evaluatedQuota: EvaluatedQuota) {
  const { quota, remainingShare, state, thresholds } = evaluatedQuota;
  return {
    // `null` for a stale quota.
    severity: severityOf(state),
    ...quotaLabels(evaluatedQuota),
    unit: quota.unit,
    used: quota.used,
    remaining: quota.remaining,
    limit: quota.limit,
    remaining_ratio: remainingShare,
    thresholds,
  };
}

/** A quota in the list: its fields, its target, and its trend. `null` for what is unknown. */
function quotaJson(evaluatedQuota: EvaluatedQuota) {
  const { quota, evaluated } = evaluatedQuota;
  const { change, fullInMs, points } = trendOf(evaluated.record.observed, quota, evaluated.isFresh);
  return {
    id: `${targetKey(evaluated.record.target)}@${quotaKey(quota)}`,
    ...quotaFields(evaluatedQuota),
    target_state: evaluated.state,
    stale: !evaluated.isFresh,
    last_success_at: timestamp(evaluated.record.observed.freshness.lastSuccessAtMs),
    trend: {
      start: timestamp(points[0]?.atMs),
      seconds: points.map(({ atMs }) => Math.round((atMs - (points[0]?.atMs ?? 0)) / 1_000)),
      used: points.map(({ used }) => used),
    },
    change: change && { used: change.by, seconds: change.inMs / 1_000 },
    full_in_seconds: fullInMs && Math.round(fullInMs / 1_000),
  };
}

/** The names of the columns, for spreadsheets that know them by their place: new ones are added at the end. */
const csvHeader =
  'account,region,zone,quota_type,unit,used,remaining,limit,remaining_ratio,warning_threshold,critical_threshold,severity,target_state,stale,last_success_at,change,change_seconds,full_in_seconds,template_id,subnet_id';

/** The quotas as a text: the header, then a line for each quota. */
async function csv(quotas: readonly EvaluatedQuota[], pace: Pace): Promise<string> {
  const columns = csvHeader.split(',');
  const lineOf = (quota: EvaluatedQuota) => {
    const { change, thresholds, ...cells } = quotaJson(quota);
    const values: Readonly<Record<string, unknown>> = {
      ...cells,
      warning_threshold: thresholds?.warning,
      critical_threshold: thresholds?.critical,
      change: change?.used,
      change_seconds: change?.seconds,
    };
    return columns.map((name) => csvCell(values[name])).join(',');
  };
  const lines = await mapWithYields(quotas, lineOf, pace);
  return [csvHeader, ...lines, ''].join('\r\n');
}

/**
 * A cell of a line. A text that begins like a formula gets an apostrophe, because a spreadsheet would run it. A number keeps
 * its sign. What is unknown, or does not apply, is empty.
 */
function csvCell(cell: unknown): string {
  if (typeof cell !== 'string')
    return cell === null || cell === undefined ? '' : JSON.stringify(cell);
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
