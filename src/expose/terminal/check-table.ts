/** A report for a terminal: what is not fine, one line for the rest, and the verdict last. */
import type { KindTable, TableCell } from '../../collectors/collector.ts';
import type { TargetRecord } from '../../model/record.ts';
import type { CheckReport } from '../check-report.ts';
import { counted, figure } from '../number-format.ts';
import { resourceText, shareText, whereOf } from '../quota-text.ts';
import { usedPart, type QuotaWord } from '../severity.ts';
import { isBad, verdictText, type Level } from '../verdict.ts';
import type { QuotaRow } from '../watched.ts';
import { barOf } from './bar.ts';
import {
  columnGap,
  tableLines,
  tableWidth,
  type Cell,
  type Column,
  type Table,
} from './columns.ts';
import { failedStyle, type Paint, type Style } from './style.ts';

export interface Surface {
  readonly paint: Paint;
  /** In characters. */
  readonly width: number;
}

/** Minimum width of a useful bar. */
const minBarWidth = 6;
const maxBarWidth = 30;

const badges: Readonly<Record<Level, Style>> = {
  critical: ['bold', 'white', 'bgRed'],
  warning: ['bold', 'black', 'bgYellow'],
  unknown: ['bold', 'white', 'bgMagenta'],
  fine: ['bold', 'black', 'bgGreen'],
};

interface WordStyle {
  readonly word: Style;
  readonly bar: Style;
}

const critical: WordStyle = { word: ['bold', 'red'], bar: 'red' };
const low: WordStyle = { word: ['bold', 'yellow'], bar: 'yellow' };
const unknown: WordStyle = { word: failedStyle, bar: 'dim' };
const fine: WordStyle = { word: 'dim', bar: 'green' };

const styles: Readonly<Record<QuotaWord, WordStyle>> = {
  overdrawn: critical,
  critical,
  low,
  gone: low,
  stale: unknown,
  unknown,
  fine,
  muted: fine,
  none: fine,
};

const text = (value: string): Cell => [{ text: value }];

/**
 * Lines with newlines.
 *
 * @param showsAll also what is fine; otherwise one line counts it
 */
export function checkTable(report: CheckReport, surface: Surface, showsAll = false): string {
  const { paint, width } = surface;
  const tables = [
    ...(showsAll
      ? report.collectors.all.flatMap(({ operation, table }) => kindTable(report, operation, table))
      : []),
    quotaTable(showsAll ? report.quotas : report.quotas.filter(isBad), report.records, width),
    incompleteTable(report),
    failedTable(report),
    credentialsTable(report),
  ];
  const last = [
    ...(showsAll ? [] : fineLine(report).map((line) => paint('dim', line))),
    `${paint(badges[report.status], report.status.toUpperCase())}  ${paint('bold', verdictText(report.verdict))}`,
  ];
  return [...tables.map((table) => tableLines(table, paint)), last]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');
}

/** One line for everything that is left out because it is fine. */
function fineLine({ tally }: CheckReport): string[] {
  const { quotas, targets } = tally;
  const counts = (['fine', 'muted', 'none', 'unknown'] as const).flatMap((word) =>
    quotas[word] === 0 ? [] : `${figure(quotas[word])} ${word === 'none' ? 'with limit 0' : word}`,
  );
  if (targets.up === 0) return [];
  const answered = `${counted(targets.up, 'target')} answered completely`;
  const rest = counts.length === 0 ? '' : `; quotas: ${counts.join(', ')}`;
  return [`not shown: ${answered}${rest} (--all shows them)`];
}

/** @param width maximum width of the lines; a table that does not fit has no bars */
function quotaTable(
  quotas: readonly QuotaRow[],
  records: readonly TargetRecord[],
  width: number,
): Table {
  const withBars = (barWidth: number): Table => ({
    columns: [
      { title: 'STATE' },
      { title: 'QUOTA' },
      { title: 'WHERE' },
      ...accountColumn(records),
      ...(barWidth < minBarWidth ? [] : [{ title: '' }]),
      { title: 'LEFT', align: 'right' },
      { title: 'REMAINING', align: 'right' },
      { title: 'LIMIT', align: 'right' },
    ],
    rows: quotas.map((row) => [
      [{ text: row.word === 'none' ? '–' : row.word, style: styles[row.word].word }],
      quotaCell(row),
      text(whereOf(row)),
      ...accountCell(row.watched.record, records),
      ...(barWidth < minBarWidth ? [] : [barCell(row, barWidth)]),
      [{ text: shareText(row), style: styles[row.word].word }],
      text(figure(row.quota.remaining)),
      text(figure(row.quota.limit)),
    ]),
  });
  return withBars(Math.min(maxBarWidth, width - columnGap - tableWidth(withBars(0))));
}

/** With the unit after it, if the type does not imply the unit. */
function quotaCell(row: QuotaRow): Cell {
  const { type, unit } = row.quota;
  const details = [type.includes(unit.replace(/s$/, '')) ? '' : unit, resourceText(row)];
  return [
    { text: type },
    ...details
      .filter((each) => each !== '')
      .map((each) => ({ text: ` ${each}`, style: 'dim' as const })),
  ];
}

function barCell(row: QuotaRow, width: number): Cell {
  const used = usedPart(row);
  if (used === null) return text(' '.repeat(width));
  const { filled, empty } = barOf(used, width);
  return [
    { text: filled, style: styles[row.word].bar },
    { text: empty, style: 'dim' },
  ];
}

/** The account of a row, if there are several. */
function accountColumn(records: readonly TargetRecord[]): Column[] {
  return hasSeveralAccounts(records) ? [{ title: 'ACCOUNT' }] : [];
}

function accountCell({ target }: TargetRecord, records: readonly TargetRecord[]): Cell[] {
  return hasSeveralAccounts(records) ? [text(target.account)] : [];
}

function hasSeveralAccounts(records: readonly TargetRecord[]): boolean {
  return records.some(({ target }) => target.account !== records[0]?.target.account);
}

/** The table of a collector, of the targets that answered. */
function kindTable(
  { collectors, records }: CheckReport,
  operation: string,
  table: KindTable | null,
): Table[] {
  if (table === null) return [];
  const own = records.filter(
    ({ seen, target }) => target.operation === operation && seen.snapshot !== null,
  );
  return [
    {
      columns: [
        { title: table.nameLabel.toUpperCase() },
        { title: 'REGION' },
        ...accountColumn(records),
        ...table.columns.map(({ isNumber, label }) => ({
          title: label.toUpperCase(),
          ...(isNumber === true && { align: 'right' as const }),
        })),
      ],
      rows: own.map((record) => [
        text(collectors.nameOf(record.target)),
        text(record.target.region),
        ...accountCell(record, records),
        ...table.cells(record).map(kindCell),
      ]),
    },
  ];
}

function kindCell(value: TableCell): Cell {
  if (value === null) return [{ text: 'unknown', style: failedStyle }];
  const { detail = '', text: main } = value;
  return detail === '' ? text(main) : [{ text: main }, { text: ` ${detail}`, style: 'dim' }];
}

/** A table of targets: each with one row for each of its cells. */
function targetTable(
  { collectors, records }: CheckReport,
  titles: readonly [string, ...string[]],
  targets: readonly TargetRecord[],
  cellsOf: (record: TargetRecord) => readonly (readonly Cell[])[],
): Table {
  const [first, ...others] = titles;
  return {
    columns: [
      { title: first },
      { title: 'REGION' },
      ...accountColumn(records),
      ...others.map((title) => ({ title })),
    ],
    rows: targets.flatMap((record) =>
      cellsOf(record).map((cells) => [
        text(collectors.nameOf(record.target)),
        text(record.target.region),
        ...accountCell(record, records),
        ...cells,
      ]),
    ),
  };
}

function failedTable(report: CheckReport): Table {
  return targetTable(report, ['FAILED', 'CODE', 'MESSAGE'], report.failed, ({ seen }) => {
    const { code = '', message = '' } = seen.freshness.failure ?? {};
    return [[[{ text: code, style: failedStyle }], text(message)]];
  });
}

/** The missing parts of successful answers, one per line. */
function incompleteTable(report: CheckReport): Table {
  return targetTable(report, ['INCOMPLETE', 'MISSING'], report.incomplete, ({ seen }) =>
    (seen.snapshot?.missing ?? []).map((missing) => [text(missing)]),
  );
}

/** What to do about credentials that fail, one line for each account and code. */
function credentialsTable({ credentials }: CheckReport): Table {
  return {
    columns: [{ title: 'CREDENTIALS' }, { title: 'CODE' }, { title: 'WHAT TO DO' }],
    rows: credentials.map(({ account, advice, code }) => [
      text(account),
      [{ text: code, style: failedStyle }],
      text(advice),
    ]),
  };
}
