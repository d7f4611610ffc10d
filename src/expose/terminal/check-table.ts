/**
 * A report of `check` as text: for a terminal (what is not fine, one line for what is fine, and the verdict last) and in
 * Markdown. `commands/renderers.ts` calls both; `nagios.ts` takes the lines alone.
 */
import type { CheckReport } from '../check-report.ts';
import { severityStyles, severityOf } from '../display-state.ts';
import type { Cell, TableRow } from '../tables/table.ts';
import { tablesOf } from '../tables/tables.ts';
import { failureAdvice, quotaCounts, verdictText } from '../verdict.ts';
import { tableLines, type Surface } from './table-lines.ts';

/**
 * The default output of `check`: lines with newlines.
 *
 * @param showsAll true: what is fine is shown, too; otherwise one line counts it
 */
export function checkTable(report: CheckReport, surface: Surface, showsAll = false): string {
  const { paint } = surface;
  const { texts, verdict } = report;
  const badge = paint(severityStyles[verdict.severity].badge, badgeText(report));
  const fine = showsAll ? [] : fineLine(report).map((text) => paint('dim', text));
  const lastLines = [...fine, `${badge}  ${paint('bold', verdictText(verdict, texts))}`];
  return [...reportLines(report, surface, showsAll), lastLines]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');
}

/**
 * The lines of a report without its verdict: of each table, in the reverse order of the page, so that what matters most is
 * near the prompt; then what to do about credentials. A table without rows has none. The Nagios output has the same lines.
 *
 * @param showsAll true: also the rows that are fine
 */
export function reportLines(
  report: CheckReport,
  surface: Surface,
  showsAll = false,
): readonly (readonly string[])[] {
  const { targets, texts } = report;
  const accounts = new Set(targets.map(({ record }) => record.target.account));
  const omittedRole = accounts.size > 1 ? null : 'account';
  const tables = shownRows(report, showsAll, omittedRole).toReversed();
  // One line for each account and code. `null` for a failure without advice.
  const adviceLines = [...failureAdvice(targets, texts).values()].filter((line) => line !== null);
  return [...tables.map((rows) => tableLines(rows, surface)), adviceLines];
}

/**
 * The verdict, and each table of the page with what is not fine, the worst first, in GitHub's Markdown.
 *
 * @param showsAll true: also the rows that are fine
 */
export function checkMarkdown(report: CheckReport, showsAll = false): string {
  const shown = shownRows(report, showsAll).filter((rows) => rows.length > 0);
  const tables = shown.map((rows) => {
    const heads = rows[0]?.cells.map(({ title }) => markdownText(title)) ?? [];
    const textsOf = ({ texts = [] }: Cell) => texts.filter((text) => text !== '').map(markdownText);
    const body = rows.map(({ cells }) => cells.map((cell) => textsOf(cell).join('<br>')));
    const lines = [heads, heads.map(() => '---'), ...body];
    return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  });
  const verdict = `**${badgeText(report)}** ${markdownText(verdictText(report.verdict, report.texts))}\n`;
  return [verdict, ...tables].join('\n');
}

function badgeText({ texts, verdict }: CheckReport): string {
  return texts.say(verdict.severity).toUpperCase();
}

/** The text as it is: what could begin markup is escaped. */
function markdownText(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|~#!@]/g, '\\$&');
}

/**
 * The rows of each table, in the order of the page: those that are not fine, and the launches that a check asks about. Their
 * cells are without the columns of the page only, which have no texts.
 *
 * @param showsAll true: also the rows that are fine
 * @param omittedRole the role of a further column that is left out. `null`: none
 */
function shownRows(
  { collectors, isAsked, launches, targets, texts }: CheckReport,
  showsAll: boolean,
  omittedRole: string | null = null,
): readonly (readonly TableRow[])[] {
  const isShown = (cell: Cell) => cell.texts !== undefined && cell.role !== omittedRole;
  const links = { grafana: null, runbooks: null };
  // A check has no filter, and no rows in the tables of changes and of daemons.
  const noRows = { filter: new Map(), changes: [], members: [] };
  return tablesOf({ collectors, launches, targets, links, texts, ...noRows }).map((table) =>
    table.items
      .map((item) => table.toRow(item))
      .filter(
        ({ state = 'none' }) =>
          showsAll || severityOf(state) !== 'fine' || (isAsked && table.id === 'launches'),
      )
      .map((row) => ({ ...row, cells: row.cells.filter(isShown) })),
  );
}

/** One line for everything that is left out because it is fine. No line if no target is up. */
function fineLine({ texts, verdict }: CheckReport): readonly string[] {
  const { say } = texts;
  const upCount = verdict.targets('up');
  const up = say('{count target|targets} answered completely', { count: upCount });
  const fine = quotaCounts(verdict.quotas, ['fine', 'muted', 'none'], texts);
  const counts = [up, fine].filter((text) => text !== '').join(say(', '));
  return upCount === 0 ? [] : [say('not shown: {counts} (--all shows them)', { counts })];
}
