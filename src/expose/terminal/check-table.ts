/** A report for a person at a terminal: the verdict, the quotas with the worst first, and what is unknown. */
import type { CheckReport } from '../check-report.ts';
import { tableLines } from './columns.ts';
import { quotaTable } from './quota-table.ts';
import type { Paint } from './style.ts';
import { collectorTables, failedTable, incompleteTable } from './tables.ts';
import { verdictLines } from './verdict.ts';

export interface Surface {
  readonly paint: Paint;
  /** In characters. */
  readonly width: number;
  /** In lines; `Infinity` when the output is no screen. */
  readonly height: number;
}

/** Lines with their newlines. The verdict is repeated at the end when it would scroll out of sight. */
export function checkTable(report: CheckReport, surface: Surface): string {
  const { height, paint, width } = surface;
  const verdict = verdictLines(report, paint);
  const tables = [
    quotaTable(report, width),
    ...collectorTables(report),
    failedTable(report),
    incompleteTable(report),
  ];
  const blocks = [verdict, ...tables.map((table) => tableLines(table, paint))].filter(
    (lines) => lines.length > 0,
  );
  const length = blocks.reduce((sum, lines) => sum + lines.length + 1, 0);
  if (length > height) blocks.push(verdict);
  return blocks.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}
