/** A report for a terminal: what is not fine, one line for the rest, and the verdict last. */
import { credentialsAdvice } from '../../credentials/advice.ts';
import type { CheckReport } from '../check-report.ts';
import { levels, severityOf } from '../severity.ts';
import { tablesOf } from '../tables/tables.ts';
import { counted, figure } from '../text.ts';
import { verdictText } from '../verdict.ts';
import { tableLines, type Surface } from './table.ts';

/**
 * Lines with newlines.
 *
 * @param showsAll also what is fine; otherwise one line counts it
 */
export function checkTable(report: CheckReport, surface: Surface, showsAll = false): string {
  const { paint } = surface;
  const { verdict } = report;
  const badge = paint(levels[verdict.level].badge, verdict.level.toUpperCase());
  const fine = showsAll ? [] : fineLine(report).map((text) => paint('dim', text));
  const end = [...fine, `${badge}  ${paint('bold', verdictText(verdict))}`];
  return [...problemLines(report, surface, showsAll), end]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((each) => `${each}\n`).join(''))
    .join('\n');
}

/** The lines of each table, in the reverse order of the page, and what to do about credentials. */
export function problemLines(
  { collectors, launches, targets }: CheckReport,
  surface: Surface,
  showsAll = false,
): readonly (readonly string[])[] {
  const settings = { collectors, links: { grafana: null, runbooks: null }, today: '' };
  const accounts = new Set(targets.map(({ record }) => record.target.account));
  const left = accounts.size > 1 ? '' : 'account';
  const contents = { collectors, launches, targets, filter: new Map(), changes: [], cluster: null };
  const tables = tablesOf(contents).map((table) =>
    table.rows
      .map((row) => table.show(row, settings))
      .filter(({ state = 'none' }) => showsAll || severityOf({ state }) !== 'fine'),
  );
  return [
    ...tables.toReversed().map((rows) => tableLines(rows, surface, left)),
    adviceLines(targets),
  ];
}

/** One line for everything that is left out because it is fine. */
function fineLine({ verdict: { quotas, targets } }: CheckReport): string[] {
  const counts = (['fine', 'muted', 'none'] as const).flatMap((word) =>
    quotas(word) === 0 ? [] : `${figure(quotas(word))} ${word === 'none' ? 'with limit 0' : word}`,
  );
  const up = targets('up');
  if (up === 0) return [];
  const rest = counts.length === 0 ? '' : `; quotas: ${counts.join(', ')}`;
  return [`not shown: ${counted(up, 'target')} answered completely${rest} (--all shows them)`];
}

/** What to do about credentials that fail, once for each account and code. */
function adviceLines(targets: CheckReport['targets']): readonly string[] {
  const lines = targets.flatMap(({ record: { observed, target } }) => {
    const { failure } = observed.freshness;
    const advice = failure && credentialsAdvice(failure);
    return advice === null ? [] : `credentials of ${target.account}: ${failure?.code}: ${advice}`;
  });
  return [...new Set(lines)];
}
