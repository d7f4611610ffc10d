/** Quotas as comma-separated values (RFC 4180) that a spreadsheet can open without risk. */
import { trendOf, type QuotaRow, type ShownTrend } from '../watched.ts';
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

export const csvHeader = csvLine(Object.keys(columns));

/** The line of a quota. */
export function csvRow(row: QuotaRow): string {
  const trend = trendOf(row);
  return csvLine(Object.values(columns).map((cellOf) => cellOf(row, trend)));
}

/** One cell. `null` for an unknown value. */
type CsvCell = string | number | boolean | null;

/** One line with its end. */
function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A text from outside that begins like a formula gets an apostrophe, because a spreadsheet would run it. A
 * number keeps its sign.
 */
function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
