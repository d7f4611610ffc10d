/** A report for a terminal: the verdict, the quotas (the worst first), and the unknown parts. */
import { problemsOf, type CheckReport } from '../check-report.ts';
import { tableLines } from './columns.ts';
import { quotaTable } from './quota-table.ts';
import type { Paint } from './style.ts';
import { collectorTables, credentialsTable, failedTable, incompleteTable } from './tables.ts';
import { verdictLines } from './verdict.ts';

export interface Surface {
  readonly paint: Paint;
  /** In characters. */
  readonly width: number;
  /** In lines. `Infinity` when the output is not a screen. */
  readonly height: number;
}

/**
 * Lines with newlines. The verdict is repeated at the end if the screen is too short for the table.
 *
 * @param onlyProblems leaves out what is fine; the verdict is that of everything
 */
export function checkTable(report: CheckReport, surface: Surface, onlyProblems = false): string {
  const { height, paint, width } = surface;
  const verdict = verdictLines(report, paint);
  const tables = [
    quotaTable(onlyProblems ? { ...report, quotas: problemsOf(report).quotas } : report, width),
    ...(onlyProblems ? [] : collectorTables(report)),
    credentialsTable(report),
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
