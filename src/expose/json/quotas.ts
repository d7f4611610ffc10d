import { quotaKey } from '../../model/quota.ts';
import { targetKey } from '../../model/target.ts';
import type { MonitorView } from '../monitor-view.ts';
import { mapInTurns } from '../pauses.ts';
import type { Judgement } from '../severity.ts';
import { admitsQuota, admitsTarget, FilterError, readFilter } from '../filter.ts';
import { presentSeverity, quotaRowsOf, trendOf, watchAll, type QuotaRow } from '../watched.ts';
import { listJson } from './query.ts';
import { csvHeader, csvRow } from './quotas-csv.ts';
import { timestamp } from './timestamp.ts';

/**
 * `/api/v1/quotas`: in the order of the configuration.
 *
 * @throws FilterError
 */
export async function quotasAnswer(
  view: MonitorView,
  search: URLSearchParams,
): Promise<{ readonly format: 'json' | 'csv'; readonly text: string }> {
  const { collectors } = view;
  const all = watchAll(view, view.clock.now());
  const filter = readFilter(search, all, collectors, ['format']);
  const asked = search.get('format') ?? '';
  const format = asked === '' ? 'json' : asked;
  if (format !== 'json' && format !== 'csv') {
    throw new FilterError('format must be one of json, csv');
  }
  const targets = all.filter((watched) => admitsTarget(filter, watched));
  const rows = (
    await mapInTurns(targets, (watched) =>
      quotaRowsOf(watched).filter((row) => admitsQuota(filter, row)),
    )
  ).flat();
  const text =
    format === 'json'
      ? await listJson('quotas', rows, quotaJson)
      : [csvHeader, ...(await mapInTurns(rows, csvRow))].join('');
  return { format, text };
}

function quotaId({ quota, watched }: QuotaRow): string {
  return `${targetKey(watched.record.target)}@${quotaKey(quota)}`;
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

function quotaJson(row: QuotaRow) {
  const { watched } = row;
  const severity = presentSeverity(row);
  const { record, state } = watched;
  const { change, fullInMs, points, stepMs } = trendOf(row);
  const { account, region, resource } = record.target;
  return {
    id: quotaId(row),
    account,
    region,
    ...resource,
    ...judgedQuotaFields(row),
    severity: severity === 'stale' ? null : severity,
    target_state: state,
    stale: severity === 'stale',
    last_success_at: timestamp(record.seen.freshness.lastSuccessAtMs),
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
