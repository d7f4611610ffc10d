/** A report of `check` for a terminal: what is not fine, one line for the rest, and the verdict last. */
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
  const end = [...fine, `${badge}  ${paint('bold', verdictText(verdict, texts))}`];
  return [...problemLines(report, surface, showsAll), end]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');
}

/**
 * The lines of each table, in the reverse order of the page, so that what matters most is near the prompt; then what to
 * do about credentials. The Nagios output has the same lines.
 */
export function problemLines(
  report: CheckReport,
  surface: Surface,
  showsAll = false,
): readonly (readonly string[])[] {
  const { targets, texts } = report;
  const accounts = new Set(targets.map(({ record }) => record.target.account));
  const omittedRole = accounts.size > 1 ? null : 'account';
  const tables = shownRows(report, showsAll, omittedRole).toReversed();
  // One line for each account and code.
  const advice = [...failureAdvice(targets, texts).values()].flatMap((advised) => advised ?? []);
  return [...tables.map((rows) => tableLines(rows, surface)), advice];
}

/** The verdict, and each table of the page with what is not fine, the worst first, in GitHub's Markdown. */
export function checkMarkdown(report: CheckReport, showsAll = false): string {
  const shown = shownRows(report, showsAll).filter((rows) => rows.length > 0);
  const tables = shown.map((rows) => {
    const heads = rows[0]?.cells.map(({ title }) => markdownText(title)) ?? [];
    const textOf = ({ texts = [] }: Cell) => texts.filter((text) => text !== '').map(markdownText);
    const lines = rows.map(({ cells }) => cells.map((cell) => textOf(cell).join('<br>')));
    const all = [heads, heads.map(() => '---'), ...lines];
    return all.map((line) => `| ${line.join(' | ')} |\n`).join('');
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
 * The rows of each table, in the order of the page: those that are not fine, and what a check asks about. Without the
 * columns that are of the page only.
 *
 * @param omittedRole the role of a further column that is left out
 */
function shownRows(
  { collectors, isAsked, launches, targets, texts }: CheckReport,
  showsAll: boolean,
  omittedRole: string | null = null,
): readonly (readonly TableRow[])[] {
  const isColumn = ({ role, texts: own }: Cell) => own !== undefined && role !== omittedRole;
  const links = { grafana: null, runbooks: null };
  const pageOnly = { filter: new Map(), changes: [], members: [] };
  return tablesOf({ collectors, launches, targets, links, texts, ...pageOnly }).map((table) =>
    table.items
      .map((item) => table.toRow(item))
      .filter(
        ({ state = 'none' }) =>
          showsAll || severityOf(state) !== 'fine' || (isAsked && table.id === 'launches'),
      )
      .map((row) => ({ ...row, cells: row.cells.filter(isColumn) })),
  );
}

/** One line for everything that is left out because it is fine. No line if no target is up. */
function fineLine({ texts, verdict: { quotas, targets } }: CheckReport): string[] {
  const { say } = texts;
  const up = say('{count target|targets} answered completely', { count: targets('up') });
  const fine = quotaCounts(quotas, ['fine', 'muted', 'none'], texts);
  const counts = [up, fine].filter((text) => text !== '').join(say(', '));
  return targets('up') === 0 ? [] : [say('not shown: {counts} (--all shows them)', { counts })];
}
