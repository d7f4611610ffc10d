/**
 * The tables of a check besides quotas: the tables of collectors, and the targets that failed or had an
 * incomplete answer.
 */
import type { TargetRecord } from '../../model/record.ts';
import type { KindTable, TableCell } from '../../collectors/collector.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import type { CheckReport } from '../check-report.ts';
import type { Cell, Table } from './columns.ts';
import { placeCells, placeColumns } from './place.ts';
import { failedStyle } from './style.ts';

const text = (value: string): Cell => [{ text: value }];

/** One table for each collector that has one, of the targets that answered. */
export function collectorTables({ collectors, records }: CheckReport): Table[] {
  return collectors.all.flatMap(({ operation, table }) =>
    table === null
      ? []
      : [
          collectorTable(
            collectors,
            table,
            records.filter(
              ({ target, seen }) => target.operation === operation && seen.snapshot !== null,
            ),
            records,
          ),
        ],
  );
}

function collectorTable(
  collectors: CollectorSet,
  table: KindTable,
  own: readonly TargetRecord[],
  records: readonly TargetRecord[],
): Table {
  return {
    columns: [
      { title: table.nameLabel.toUpperCase() },
      ...placeColumns(records),
      ...table.columns.map(({ label, isNumber }) => ({
        title: label.toUpperCase(),
        ...(isNumber === true && { align: 'right' as const }),
      })),
    ],
    rows: own.map((record) => [
      text(collectors.nameOf(record.target)),
      ...placeCells(record.target, records),
      ...table.cells(record).map(cell),
    ]),
  };
}

function cell(value: TableCell): Cell {
  if (value === null) return [{ text: 'unknown', style: failedStyle }];
  const { text: main, detail = '' } = value;
  return detail === '' ? text(main) : [{ text: main }, { text: ` ${detail}`, style: 'dim' }];
}

/** What to do about credentials that fail, one line for each account and code. */
export function credentialsTable({ credentials }: CheckReport): Table {
  return {
    columns: [{ title: 'CREDENTIALS' }, { title: 'CODE' }, { title: 'WHAT TO DO' }],
    rows: credentials.map(({ account, code, advice }) => [
      text(account),
      [{ text: code, style: failedStyle }],
      text(advice),
    ]),
  };
}

export function failedTable({ collectors, failed, records }: CheckReport): Table {
  const row = ({ target, seen: { freshness } }: TargetRecord): Cell[] => [
    text(collectors.nameOf(target)),
    ...placeCells(target, records),
    [{ text: freshness.failure?.code ?? '', style: failedStyle }],
    text(freshness.failure?.message ?? ''),
  ];
  return {
    columns: [
      { title: 'FAILED' },
      ...placeColumns(records),
      { title: 'CODE' },
      { title: 'MESSAGE' },
    ],
    rows: failed.map(row),
  };
}

/** The missing parts of successful answers, one per line. */
export function incompleteTable({ collectors, incomplete, records }: CheckReport): Table {
  const rows = incomplete.flatMap(({ target, seen: { snapshot } }) =>
    (snapshot?.missing ?? []).map((missing) => [
      text(collectors.nameOf(target)),
      ...placeCells(target, records),
      text(missing),
    ]),
  );
  return {
    columns: [{ title: 'INCOMPLETE' }, ...placeColumns(records), { title: 'MISSING' }],
    rows,
  };
}
