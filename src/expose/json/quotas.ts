/** The list of quotas, as JSON, and as comma-separated values (RFC 4180) that a spreadsheet can open without risk. */
import { mapWithYields } from '../../model/yielding.ts';
import { quotaKey } from '../../model/quota.ts';
import { targetKey } from '../../model/target.ts';
import { trendOf } from '../../model/trend.ts';
import { answerOf, jsonAnswer, type Answer } from '../answers.ts';
import { admits, ask, quotaLabels } from '../filter.ts';
import type { Evaluator } from '../evaluation.ts';
import { severityOf } from '../severity.ts';
import type { QuotaRow } from '../evaluated-record.ts';
import { listJson, timestamp } from './list.ts';

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="quotas.csv"',
};

/**
 * `/api/v1/quotas`: in the order of the configuration.
 *
 * @throws FilterError
 */
export async function quotasAnswer(source: Evaluator, query: string): Promise<Answer> {
  const { filter, options, targets } = await ask(source, query, {
    options: { format: ['json', 'csv'] },
  });
  const rows = targets.flatMap(({ quotas }) =>
    quotas.filter((row) => admits(filter, quotaLabels(row))),
  );
  return options.get('format') === 'csv'
    ? answerOf({ status: 200, headers: csvHeaders, body: await csv(rows) })
    : jsonAnswer([await listJson('quotas', rows, quotaJson)]);
}

/** Which quota, its numbers, and what its thresholds make of them. */
export function quotaFields(row: QuotaRow) {
  const { quota, remainingShare, thresholds } = row;
  return {
    // That of a stale quota is not known.
    severity: severityOf(row),
    ...quotaLabels(row),
    unit: quota.unit,
    used: quota.used,
    remaining: quota.remaining,
    limit: quota.limit,
    remaining_ratio: remainingShare,
    thresholds,
  };
}

function quotaJson(row: QuotaRow) {
  const { quota, evaluated } = row;
  const { change, fullInMs, points } = trendOf(evaluated.record.observed, quota, evaluated.isFresh);
  return {
    id: `${targetKey(evaluated.record.target)}@${quotaKey(quota)}`,
    ...quotaFields(row),
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

/** The names of its columns. New ones are added at the end. */
const csvHeader =
  'account,region,zone,quota_type,unit,used,remaining,limit,remaining_ratio,warning_threshold,critical_threshold,severity,target_state,stale,last_success_at,change,change_seconds,full_in_seconds,template_id,subnet_id';

async function csv(rows: readonly QuotaRow[]): Promise<string> {
  const columns = csvHeader.split(',');
  const lines = await mapWithYields(rows, (row) => {
    const { change, thresholds, ...cells } = quotaJson(row);
    const all: Readonly<Record<string, unknown>> = {
      ...cells,
      warning_threshold: thresholds?.warning,
      critical_threshold: thresholds?.critical,
      change: change?.used,
      change_seconds: change?.seconds,
    };
    return columns.map((name) => csvCell(all[name])).join(',');
  });
  return [csvHeader, ...lines, ''].join('\r\n');
}

/**
 * A text from outside that begins like a formula gets an apostrophe, because a spreadsheet would run it. A
 * number keeps its sign. What is unknown, or does not apply, is empty.
 */
function csvCell(cell: unknown): string {
  if (typeof cell !== 'string')
    return cell === null || cell === undefined ? '' : JSON.stringify(cell);
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
