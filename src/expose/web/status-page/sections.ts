/** The tables of the status page: quotas, targets, those of collectors, and changes. */
import type { Html } from './format.ts';
import type { KindSection, StatusModel } from './model.ts';
import { isFiltered } from './query.ts';
import { changeRow, kindRow, quotaRow, targetRow } from './rows.ts';
import { tableSection } from './table.ts';

const names = [
  { label: 'Account', className: 'account' },
  { label: 'Region', className: 'region' },
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
      { label: 'Quota', className: 'name' },
      { label: 'Zone', className: 'zone' },
      ...names,
      { label: 'In use', className: 'usage' },
      { label: 'Left', className: 'share number' },
      { label: 'Remaining', className: 'remaining number' },
      { label: 'Used', className: 'used number' },
      { label: 'Limit', className: 'limit number' },
    ],
    rows: page.rows.map((row) => quotaRow(row, model)),
    page,
    query,
  });
}

export function targetSection(model: StatusModel): Html {
  const { targets: page, query } = model;
  return tableSection({
    id: 'targets',
    title: 'Targets',
    caption: 'All polled targets. Targets with problems are first.',
    empty: emptyText(model, 'No target is configured.'),
    columns: [
      { label: 'Target', className: 'name' },
      ...names,
      { label: 'Health', className: 'health' },
      { label: 'Error', className: 'error' },
      { label: 'Last success', className: 'success' },
      { label: 'Took', className: 'took number' },
      { label: 'Tightest quota', className: 'tightest' },
    ],
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
      { label: table.nameLabel, className: 'name' },
      ...names,
      ...table.columns.map(({ label, isNumber }) => ({
        label,
        className: isNumber === true ? 'figure number' : 'detail',
      })),
      { label: 'Last change', className: 'changed' },
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
      { label: 'Change', className: 'name' },
      { label: 'Target', className: 'target' },
      ...names,
      { label: 'Seen', className: 'seen' },
      { label: 'Time', className: 'time' },
    ],
    rows: page.rows.map((row) => changeRow(row, model)),
    page,
    query,
  });
}
