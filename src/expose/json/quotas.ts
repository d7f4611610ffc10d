/** The list of quotas, as JSON, and as comma-separated values (RFC 4180) that a spreadsheet can open without risk. */
import { quotaKey } from '../../model/quota.ts';
import { targetKey } from '../../model/target.ts';
import { admitsQuota, admitsTarget, labelsOf, oneOf, readQuery } from '../filter.ts';
import { mapInTurns } from '../pauses.ts';
import type { Judgement } from '../severity.ts';
import { resourceOf, trendOf, type QuotaRow } from '../watched.ts';
import { listJson, timestamp, type Source } from './list.ts';

/**
 * `/api/v1/quotas`: in the order of the configuration.
 *
 * @throws FilterError
 */
export async function quotasAnswer({ view, watch }: Source, search: URLSearchParams) {
  const all = await watch(view.clock.now());
  const labels = labelsOf(all, view.collectors);
  const { filter, options } = readQuery(search, labels, { format: oneOf(['json', 'csv']) });
  const rows = all
    .filter((watched) => admitsTarget(filter, watched))
    .flatMap(({ quotas }) => quotas.filter((row) => admitsQuota(filter, row)));
  const isCsv = options.get('format') === 'csv';
  const text = isCsv ? await csv(rows) : await listJson('quotas', rows, quotaJson);
  return { isCsv, text };
}

/** The numbers of a quota, and what its thresholds make of them. */
export function judgedQuotaFields({ quota, remainingShare, thresholds }: Judgement) {
  return {
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

/** The severity of a stale quota is not known. */
function presentFields({ severity, watched }: QuotaRow) {
  return {
    severity: watched.isFresh ? severity : null,
    target_state: watched.state,
    stale: !watched.isFresh,
    last_success_at: timestamp(watched.record.seen.freshness.lastSuccessAtMs),
  };
}

function quotaJson(row: QuotaRow) {
  const { quota, watched } = row;
  const { target } = watched.record;
  const { change, fullInMs, points, stepMs } = trendOf(row);
  return {
    id: `${targetKey(target)}@${quotaKey(quota)}`,
    account: target.account,
    region: target.region,
    ...resourceOf(row),
    ...judgedQuotaFields(row),
    ...presentFields(row),
    trend: {
      start: timestamp(points[0]?.atMs),
      step_seconds: stepMs / 1_000,
      // The last point is the present use, which is between two steps.
      used: points.slice(0, -1).map(({ used }) => used),
    },
    change: change && { used: change.by, seconds: change.inMs / 1_000 },
    full_in_seconds: fullInMs && Math.round(fullInMs / 1_000),
  };
}

/** Its columns in their order. New ones are added at the end. */
function csvFields(row: QuotaRow) {
  const { account, region } = row.watched.record.target;
  const { subnet_id = null, template_id = null } = resourceOf(row);
  const { thresholds, ...numbers } = judgedQuotaFields(row);
  const { change, fullInMs } = trendOf(row);
  return {
    account,
    region,
    ...numbers,
    warning_threshold: thresholds && thresholds.warning,
    critical_threshold: thresholds && thresholds.critical,
    ...presentFields(row),
    change: change && change.by,
    change_seconds: change && change.inMs / 1_000,
    full_in_seconds: fullInMs && Math.round(fullInMs / 1_000),
    template_id,
    subnet_id,
  };
}

const csvHeader =
  'account,region,zone,quota_type,unit,used,remaining,limit,remaining_ratio,warning_threshold,critical_threshold,severity,target_state,stale,last_success_at,change,change_seconds,full_in_seconds,template_id,subnet_id';

async function csv(rows: readonly QuotaRow[]): Promise<string> {
  const lines = await mapInTurns(rows, (row) =>
    Object.values(csvFields(row)).map(csvCell).join(','),
  );
  return [csvHeader, ...lines, ''].join('\r\n');
}

/**
 * A text from outside that begins like a formula gets an apostrophe, because a spreadsheet would run it. A
 * number keeps its sign. `null` is an unknown value.
 */
function csvCell(cell: string | number | boolean | null): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
