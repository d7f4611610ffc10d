/** A report for a terminal: what is not fine, one line for the rest, and the verdict last. */
import type { CheckReport } from '../check-report.ts';
import { credentialsAdvice } from '../credentials-advice.ts';
import { isBad, levels } from '../severity.ts';
import { launchRow } from '../tables/launches.ts';
import { quotaRow } from '../tables/quotas.ts';
import type { ShownRow } from '../tables/table.ts';
import { kindRow, problemRow } from '../tables/targets.ts';
import { counted, figure } from '../text.ts';
import { verdictText } from '../verdict.ts';
import type { Watched } from '../watched.ts';
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

/** The lines of each table. */
export function problemLines(
  { collectors, launches, quotas, targets }: CheckReport,
  surface: Surface,
  showsAll = false,
): readonly (readonly string[])[] {
  const settings = { collectors, links: { grafana: null, runbooks: null }, today: '' };
  const accounts = new Set(targets.map(({ record }) => record.target.account));
  const left = accounts.size > 1 ? '' : 'account';
  const linesOf = (rows: readonly ShownRow[]) => tableLines(rows, surface, left);
  const kinds = (showsAll ? collectors.all : []).map((collector) =>
    targets.filter(
      (each) =>
        each.collector === collector &&
        collector.table !== null &&
        each.record.seen.snapshot !== null,
    ),
  );
  const problems = targets.filter(({ state }) => state !== 'up');
  return [
    ...kinds.map((some) => linesOf(some.map((each) => kindRow(each, settings)))),
    linesOf(quotas.filter((row) => showsAll || isBad(row)).map((row) => quotaRow(row, settings))),
    linesOf(
      launches
        .filter(({ word }) => showsAll || (word !== 'fine' && word !== 'muted'))
        .map((row) => launchRow(row, settings)),
    ),
    linesOf(problems.map((each) => problemRow(each, settings))),
    adviceLines(problems),
  ];
}

/** One line for everything that is left out because it is fine. */
function fineLine({ verdict: { quotas, targets } }: CheckReport): string[] {
  const counts = (['fine', 'muted', 'none', 'unknown'] as const).flatMap((word) =>
    quotas(word) === 0 ? [] : `${figure(quotas(word))} ${word === 'none' ? 'with limit 0' : word}`,
  );
  const up = targets('up');
  if (up === 0) return [];
  const rest = counts.length === 0 ? '' : `; quotas: ${counts.join(', ')}`;
  return [`not shown: ${counted(up, 'target')} answered completely${rest} (--all shows them)`];
}

/** What to do about credentials that fail, once for each account and code. */
function adviceLines(problems: readonly Watched[]): string[] {
  const lines = problems.flatMap(({ record: { seen, target } }) => {
    const { failure } = seen.freshness;
    const advice = failure && credentialsAdvice(failure);
    return failure === null || advice === null
      ? []
      : `credentials of ${target.account}: ${failure.code}: ${advice}`;
  });
  return [...new Set(lines)];
}
