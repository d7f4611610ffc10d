import { quotaKey } from '../../../model/quota.ts';
import { targetKey } from '../../../model/target.ts';
import { yieldAfter } from '../../metrics/yield-after.ts';
import type { Judgement } from '../../severity.ts';
import { admits, admitsQuota } from '../filter.ts';
import { trendOf } from '../shown-trend.ts';
import { presentSeverity, quotaRowsOf, type QuotaRow, type Watched } from '../watched.ts';
import { unknownCursor, type QuotasQuery } from './query.ts';
import { timestamp } from './timestamp.ts';

/** Number of quotas that are filtered before the event loop gets a turn: about a millisecond of work. */
const rowsPerTurn = 2_000;

/**
 * One answer of `/api/v1/quotas`: in the order of the configuration. `next_cursor` names the last quota of the
 * answer, so that a reload does not shift the next answer.
 *
 * @throws QueryError when the quota of the cursor is not known now
 */
export async function quotasJson(all: readonly Watched[], query: QuotasQuery) {
  const { cursor, filter, limit } = query;
  const page: QuotaRow[] = [];
  let total = 0;
  let hasMore = false;
  let isBehindCursor = cursor === undefined;
  const done = yieldAfter(rowsPerTurn);
  for (const watched of all) {
    if (!admits(filter, watched.record.target, watched.collector.kind)) continue;
    const rows = quotaRowsOf(watched);
    for (const row of rows) {
      const isMatch = admitsQuota(filter, row);
      if (isMatch) total += 1;
      if (isMatch && isBehindCursor) {
        if (page.length < limit) page.push(row);
        else hasMore = true;
      }
      isBehindCursor ||= quotaId(row) === cursor;
    }
    await done(rows.length);
  }
  if (!isBehindCursor) throw unknownCursor();
  const last = page.at(-1);
  return {
    quotas: page.map(quotaJson),
    total,
    next_cursor: last !== undefined && hasMore ? quotaId(last) : null,
  };
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
