/** The data of the status page: a projection of the published records, without markup. */
import type { KindTable } from '../../../collectors/collector.ts';
import type { CollectorSet } from '../../../collectors/collector-set.ts';
import type { Change } from '../../../model/change.ts';
import type { Links } from '../../../model/links.ts';
import { quotaKey } from '../../../model/quota.ts';
import type { QuotaHistory } from '../../../model/quota-history.ts';
import type { MonitorView } from '../../monitor-view.ts';
import { compareUrgency, type Severity } from '../../severity.ts';
import { admits, admitsChange, admitsQuota, contains, namesOf, type Filter } from '../../filter.ts';
import { newestFirst } from '../../json/changes.ts';
import {
  presentSeverity,
  quotaRowsOf,
  watchAll,
  type QuotaRow,
  type TargetState,
  type Watched,
  type WatchedView,
} from '../../watched.ts';
import { pageOf, type Page } from './paging.ts';
import { filterOf, isFiltered, type StatusQuery } from './query.ts';
import { changeOrders, kindOrders, quotaOrders, sorted, targetOrders } from './sorting.ts';

/** The number of all records, without the filter. */
export interface Summary {
  readonly targets: Readonly<Record<TargetState, number>>;
  /**
   * The quotas that are known now, by severity, and those that are stale. Unknown are the others that are known
   * to exist: their rows in the last answer could not be read.
   */
  readonly quotas: Readonly<Record<Severity | 'stale', number>>;
}

/** The rows of a collector's own table. */
export interface KindSection {
  readonly kind: string;
  readonly table: KindTable;
  readonly page: Page<Watched>;
}

export interface StatusModel {
  readonly nowMs: number;
  readonly query: StatusQuery;
  readonly collectors: CollectorSet;
  readonly links: Links;
  readonly summary: Summary;
  /** The names to filter by. */
  readonly accounts: readonly string[];
  readonly regions: readonly string[];
  /** The targets with problems. */
  readonly problems: Page<Watched>;
  readonly quotas: Page<QuotaRow>;
  /** The targets without problems. */
  readonly targets: Page<Watched>;
  readonly kinds: readonly KindSection[];
  readonly changes: Page<Change>;
}

/** Fewer than in other sections, so that the quotas are not far below them. */
const problemsPerPage = 10;

export function statusModel(
  view: WatchedView & Pick<MonitorView, 'links'>,
  query: StatusQuery,
  nowMs: number,
): StatusModel {
  const { collectors } = view;
  const filter = filterOf(query);
  const all = watchAll(view, nowMs);
  const allQuotas = all.flatMap(quotaRowsOf);
  const asked = isFiltered(query)
    ? all.filter(({ collector, record }) => admits(filter, record.target, collector.kind))
    : all;
  const page = (section: string) => query.pages[section] ?? 1;
  const order = (section: string) => query.orders[section];
  const targets = targetRows(asked, filter, collectors);
  const withProblems = targets.filter(({ state }) => state !== 'up');
  const others = targets.filter(({ state }) => state === 'up');
  return {
    nowMs,
    query,
    collectors,
    links: view.links(),
    summary: summaryOf(all, allQuotas),
    accounts: unique(all.map(({ record }) => record.target.account)),
    regions: unique(all.map(({ record }) => record.target.region)),
    problems: pageOf(
      sorted(withProblems, targetOrders, order('problems')),
      page('problems'),
      problemsPerPage,
    ),
    quotas: pageOf(
      sorted(quotaRows(allQuotas, query), quotaOrders, order('quotas')),
      page('quotas'),
    ),
    targets: pageOf(sorted(others, targetOrders, order('targets')), page('targets')),
    kinds: collectors.all.flatMap((collector) => {
      const { kind, table } = collector;
      if (table === null) return [];
      const own = asked.filter((watched) => watched.collector === collector);
      const rows = kindRows(own, table, filter, collectors);
      return {
        kind,
        table,
        page: pageOf(sorted(rows, kindOrders(table), order(table.id)), page(table.id)),
      };
    }),
    changes: pageOf(
      sorted(
        changeRows(view.published.changes(), filter, collectors),
        changeOrders,
        order('changes'),
      ),
      page('changes'),
    ),
  };
}

function summaryOf(all: readonly Watched[], allQuotas: readonly QuotaRow[]): Summary {
  const targets = { up: 0, incomplete: 0, failing: 0, stale: 0, pending: 0 };
  const quotas = { critical: 0, warning: 0, fine: 0, stale: 0, unknown: 0 };
  for (const watched of all) {
    targets[watched.state] += 1;
    quotas.unknown += unknownQuotas(watched);
  }
  for (const row of allQuotas) quotas[presentSeverity(row)] += 1;
  return { targets, quotas };
}

/** The number of quotas that are known to exist and are not in the snapshot. */
function unknownQuotas({ collector, record }: Watched): number {
  if (record.seen.snapshot === null || record.seen.snapshot.missing.length === 0) return 0;
  const known = new Set(collector.quotas(record).map(quotaKey));
  const isUnknown = (history: QuotaHistory) => history.isKnown && !known.has(quotaKey(history));
  return collector.histories(record).filter(isUnknown).length;
}

/** The worst quota first. Quotas of stale records come last. */
function quotaRows(all: readonly QuotaRow[], query: StatusQuery): QuotaRow[] {
  const filter = filterOf(query);
  const isAsked = (row: QuotaRow) =>
    admits(filter, row.watched.record.target, row.watched.collector.kind) &&
    admitsQuota(filter, row);
  return (isFiltered(query) ? all.filter(isAsked) : all).toSorted(
    (a, b) => Number(b.watched.isFresh) - Number(a.watched.isFresh) || compareUrgency(a, b),
  );
}

/** The worst quota of a target. `null` when none is known now. */
export function tightestQuota(watched: Watched): QuotaRow | null {
  const [first, ...others] = watched.isFresh ? quotaRowsOf(watched) : [];
  if (first === undefined) return null;
  return others.reduce((worst, row) => (compareUrgency(row, worst) < 0 ? row : worst), first);
}

const urgency: Readonly<Record<TargetState, number>> = {
  failing: 0,
  incomplete: 1,
  stale: 2,
  pending: 3,
  up: 4,
};

/** The state of a target in the words of the page. */
export const stateText: Readonly<Record<TargetState, string>> = {
  up: 'up',
  incomplete: 'incomplete',
  failing: 'failing',
  stale: 'stale',
  pending: 'not polled yet',
};

/** The states that a target's row shows. A failing target may be stale too. */
export function shownStates({ isFresh, record, state }: Watched): readonly TargetState[] {
  const isStaleToo =
    state === 'failing' && !isFresh && record.seen.freshness.lastSuccessAtMs !== null;
  return isStaleToo ? [state, 'stale'] : [state];
}

/** The worst state first. Targets of the same state are in the order of the configuration. */
function targetRows(
  all: readonly Watched[],
  { onlyProblems, text }: Filter,
  collectors: CollectorSet,
): Watched[] {
  return all
    .filter(({ state }) => !onlyProblems || state !== 'up')
    .filter((watched) => {
      const { record } = watched;
      const { failure } = record.seen.freshness;
      return contains(text, [
        ...shownStates(watched).map((state) => stateText[state]),
        failure?.code ?? '',
        failure?.message ?? '',
        failure?.requestId ?? '',
        collectors.nameOf(record.target),
        ...(failure === null ? (record.seen.snapshot?.missing ?? []) : []),
        ...namesOf(record.target),
      ]);
    })
    .sort((a, b) => urgency[a.state] - urgency[b.state]);
}

/** The newest change first. */
function kindRows(
  own: readonly Watched[],
  table: KindTable,
  { onlyProblems, text }: Filter,
  collectors: CollectorSet,
): Watched[] {
  const changedAtMs = ({ record }: Watched) => record.counted.recentChanges.at(-1)?.atMs ?? 0;
  return own
    .filter(({ state }) => !onlyProblems || state !== 'up')
    .filter(({ isFresh, record, state }) => {
      const last = record.counted.recentChanges.at(-1);
      return contains(text, [
        ...namesOf(record.target),
        isFresh || record.seen.snapshot === null ? '' : stateText.stale,
        state === 'incomplete' ? stateText.incomplete : '',
        ...table.cells(record).flatMap((cell) => [cell?.text ?? '', cell?.detail ?? '']),
        last === undefined ? '' : collectors.changeText(last),
      ]);
    })
    .sort((a, b) => changedAtMs(b) - changedAtMs(a));
}

function changeRows(
  changes: readonly Change[],
  filter: Filter,
  collectors: CollectorSet,
): Change[] {
  return newestFirst(changes).filter((change) => admitsChange(filter, change, collectors));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
