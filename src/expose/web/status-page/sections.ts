/** The tables of the status page: quotas, targets, those of collectors, and changes. */
import type { Html } from './format.ts';
import type { KindSection, StatusModel } from './model.ts';
import { isFiltered } from './query.ts';
import { changeRow, kindRow, quotaRow, targetRow } from './rows.ts';
import { ownColumn } from './sorting.ts';
import { tableSection } from './table.ts';

const names = [
  { label: 'Account', className: 'account', order: 'account' },
  { label: 'Region', className: 'region', order: 'region' },
];

const targetColumns = [
  { label: 'Target', className: 'name', order: 'name' },
  ...names,
  { label: 'Health', className: 'health', order: 'health' },
  { label: 'Error', className: 'error', order: 'error' },
  { label: 'Last success', className: 'success', order: 'success' },
  { label: 'Took', className: 'took number', order: 'took' },
  { label: 'Tightest quota', className: 'tightest' },
];

/** The text for an empty table: the filter matches nothing, or there is nothing at all. */
function emptyText({ query }: StatusModel, otherwise: string): string {
  return isFiltered(query) ? 'Nothing matches the filter.' : otherwise;
}

export function quotaSection(model: StatusModel): Html {
  const { quotas: page, query } = model;
  return tableSection({
    id: 'quotas',
    title: 'Quotas',
    caption:
      'The worst first: by severity, then by remaining share. Quotas of stale targets are last, with their last known values.',
    empty: emptyText(model, 'No quota is known yet.'),
    columns: [
      { label: 'Quota', className: 'name', order: 'name' },
      { label: 'Zone', className: 'zone', order: 'zone' },
      ...names,
      { label: 'In use', className: 'usage' },
      { label: 'Left', className: 'share number', order: 'share' },
      { label: 'Trend', className: 'trend' },
      { label: 'Remaining', className: 'remaining number', order: 'remaining' },
      { label: 'Used', className: 'used number', order: 'used' },
      { label: 'Limit', className: 'limit number', order: 'limit' },
    ],
    rows: page.rows.map((row) => quotaRow(row, model)),
    page,
    query,
  });
}

/** Empty if there is no problem. */
export function problemSection(model: StatusModel): Html | '' {
  const { problems: page, query } = model;
  if (page.total === 0) return '';
  return tableSection({
    id: 'problems',
    title: 'Targets with problems',
    caption: 'What is not polled successfully and completely. The worst first.',
    empty: '',
    columns: targetColumns,
    rows: page.rows.map((watched) => targetRow(watched, model)),
    page,
    query,
  });
}

export function targetSection(model: StatusModel): Html {
  const { targets: page, query } = model;
  return tableSection({
    id: 'targets',
    title: 'Targets',
    caption: 'The targets without problems.',
    empty: emptyText(model, 'No target was polled successfully and completely.'),
    columns: targetColumns,
    rows: page.rows.map((row) => targetRow(row, model)),
    page,
    query,
  });
}

/** The table of one collector. */
export function kindSection({ table, page }: KindSection, model: StatusModel): Html {
  return tableSection({
    id: table.id,
    title: table.title,
    caption: 'Sorted by the last change, the newest first.',
    empty: emptyText(model, table.empty),
    columns: [
      { label: table.nameLabel, className: 'name', order: 'name' },
      ...names,
      ...table.columns.map(({ label, isNumber }, i) => ({
        label,
        className: isNumber === true ? 'figure number' : 'detail',
        order: ownColumn(i),
      })),
      { label: 'Last change', className: 'changed', order: 'changed' },
    ],
    rows: page.rows.map((row) => kindRow(row, table, model)),
    page,
    query: model.query,
  });
}

export function changeSection(model: StatusModel): Html {
  const { changes: page, query } = model;
  return tableSection({
    id: 'changes',
    title: 'Recent changes',
    caption: 'The newest first.',
    empty: emptyText(model, 'Nothing has changed since the first poll.'),
    columns: [
      { label: 'Change', className: 'name', order: 'name' },
      { label: 'Target', className: 'target', order: 'target' },
      ...names,
      { label: 'Seen', className: 'seen' },
      { label: 'Time', className: 'time', order: 'time' },
    ],
    rows: page.rows.map((row) => changeRow(row, model)),
    page,
    query,
  });
}
