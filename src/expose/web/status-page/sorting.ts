/** The orders of the tables on the status page. A column with an order has a link that sorts the table. */
import type { KindTable } from '../../../collectors/collector.ts';
import type { Change } from '../../../model/change.ts';
import type { QuotaRow, Watched } from '../../watched.ts';

/** What a row has in a column. `null` for an unknown value, which comes last in both directions. */
type SortValue = string | number | null;

/** The orders of a table: by the name of the column, what a row has in it. */
export type Orders<T> = Readonly<Record<string, (row: T) => SortValue>>;

/** The chosen order of a table. */
export interface Order {
  readonly column: string;
  readonly isDescending: boolean;
}

/** The rows in their usual order if no order is chosen, or an unknown one. */
export function sorted<T>(
  rows: readonly T[],
  orders: Orders<T>,
  order: Order | undefined,
): readonly T[] {
  const valueOf =
    order !== undefined && Object.hasOwn(orders, order.column) ? orders[order.column] : undefined;
  if (order === undefined || valueOf === undefined) return rows;
  const sign = order.isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null)
        return Number(a.value === null) - Number(b.value === null);
      return sign * compare(a.value, b.value);
    })
    .map(({ row }) => row);
}

/** Does not use the rules of a language, because they take ten times as long. */
function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export const quotaOrders: Orders<QuotaRow> = {
  name: ({ quota }) => quota.type,
  zone: ({ quota }) => quota.zone,
  account: ({ watched }) => watched.record.target.account,
  region: ({ watched }) => watched.record.target.region,
  share: ({ remainingShare, watched }) => (watched.isFresh ? remainingShare : null),
  remaining: ({ quota }) => quota.remaining,
  used: ({ quota }) => quota.used,
  limit: ({ quota }) => quota.limit,
};

const watchedOrders: Orders<Watched> = {
  name: ({ collector, record }) =>
    Object.values(record.target.resource ?? {}).join(' ') || collector.noun,
  account: ({ record }) => record.target.account,
  region: ({ record }) => record.target.region,
};

export const targetOrders: Orders<Watched> = {
  ...watchedOrders,
  health: ({ state }) => state,
  error: ({ record }) => record.seen.freshness.failure?.code ?? null,
  success: ({ record }) => record.seen.freshness.lastSuccessAtMs,
  took: ({ record }) => record.seen.freshness.lastPoll?.durationMs ?? null,
};

/** The name of a column of a collector's own table. */
export const ownColumn = (index: number) => `column-${index + 1}`;

export function kindOrders(table: KindTable): Orders<Watched> {
  const own = table.columns.map(({ isNumber }, i): [string, (row: Watched) => SortValue] => [
    ownColumn(i),
    ({ record }) => {
      const text = table.cells(record)[i]?.text ?? null;
      if (text === null || isNumber !== true) return text;
      return Number.isFinite(Number(text)) ? Number(text) : null;
    },
  ]);
  return {
    ...watchedOrders,
    ...Object.fromEntries(own),
    changed: ({ record }) => record.counted.recentChanges.at(-1)?.atMs ?? null,
  };
}

export const changeOrders: Orders<Change> = {
  name: ({ kind }) => kind,
  target: ({ operation, resource = {} }) => Object.values(resource).join(' ') || operation,
  account: ({ account }) => account,
  region: ({ region }) => region,
  time: ({ atMs }) => atMs,
};
