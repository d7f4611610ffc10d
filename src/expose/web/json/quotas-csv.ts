import { setImmediate as nextTurn } from 'node:timers/promises';
import { csvLine, type CsvCell } from '../csv.ts';
import { admits, admitsQuota, type Filter } from '../filter.ts';
import { trendOf, type ShownTrend } from '../shown-trend.ts';
import { quotaRowsOf, type QuotaRow, type Watched } from '../watched.ts';
import { timestamp } from './timestamp.ts';

/** The columns in their order. New ones are added at the end. */
const columns: Readonly<Record<string, (row: QuotaRow, trend: ShownTrend) => CsvCell>> = {
  account: ({ watched }) => watched.record.target.account,
  region: ({ watched }) => watched.record.target.region,
  zone: ({ quota }) => quota.zone,
  quota_type: ({ quota }) => quota.type,
  unit: ({ quota }) => quota.unit,
  used: ({ quota }) => quota.used,
  remaining: ({ quota }) => quota.remaining,
  limit: ({ quota }) => quota.limit,
  remaining_ratio: ({ remainingShare }) => remainingShare,
  warning_threshold: ({ thresholds }) => thresholds && thresholds.warning,
  critical_threshold: ({ thresholds }) => thresholds && thresholds.critical,
  severity: ({ severity, watched }) => (watched.isFresh ? severity : null),
  target_state: ({ watched }) => watched.state,
  stale: ({ watched }) => !watched.isFresh,
  last_success_at: ({ watched }) => timestamp(watched.record.seen.freshness.lastSuccessAtMs),
  change: (_row, { change }) => change && change.by,
  change_seconds: (_row, { change }) => change && change.inMs / 1_000,
  full_in_seconds: (_row, { fullInMs }) => fullInMs && Math.round(fullInMs / 1_000),
};

/** Number of quotas that are written before the event loop gets a turn: some milliseconds of work. */
const rowsPerTurn = 100;

/**
 * `/api/v1/quotas?format=csv`: a line for each quota that is asked for, in the order of the configuration. The
 * lines are made while the client reads, so that memory is bounded.
 */
export function quotasCsv(all: readonly Watched[], filter: Filter): ReadableStream<Uint8Array> {
  const lines = linesOf(all, filter);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      let text = '';
      while (text === '') {
        await nextTurn();
        for (let i = 0; i < rowsPerTurn; i += 1) {
          const line = lines.next();
          if (line.done === true) {
            if (text !== '') controller.enqueue(encoder.encode(text));
            controller.close();
            return;
          }
          text += line.value;
        }
      }
      controller.enqueue(encoder.encode(text));
    },
  });
}

/** The header, then a text for each quota. It is empty for a quota that is not asked for. */
function* linesOf(all: readonly Watched[], filter: Filter): Generator<string, undefined> {
  yield csvLine(Object.keys(columns));
  for (const watched of all) {
    if (!admits(filter, watched.record.target, watched.collector.kind)) continue;
    for (const row of quotaRowsOf(watched)) yield admitsQuota(filter, row) ? lineOf(row) : '';
  }
}

function lineOf(row: QuotaRow): string {
  const trend = trendOf(row);
  return csvLine(Object.values(columns).map((cellOf) => cellOf(row, trend)));
}
