/** The data of the status page: a projection of the published records, without markup. */
import type { Collector } from '../../../collectors/collector.ts';
import type { KindTable } from '../../../collectors/kind-table.ts';
import type { CollectorSet } from '../../../collectors/collector-set.ts';
import type { Change } from '../../../model/change.ts';
import type { Links } from '../../../model/links.ts';
import type { TargetRecord } from '../../../model/record.ts';
import { isFresh } from '../../../model/staleness.ts';
import type { Target } from '../../../model/target.ts';
import { thresholdsAt, thresholdsOf, type Thresholds } from '../../../model/thresholds.ts';
import type { MonitorView } from '../../monitor-view.ts';
import { compareUrgency, judgementOf, type Judgement, type Severity } from '../../severity.ts';
import { newestFirst } from '../json/changes.ts';
import { pageOf, type Page } from './paging.ts';
import { isFiltered, type StatusQuery } from './query.ts';

/**
 * `failing`: the last poll failed. `stale`: the last poll succeeded, but too long ago. `incomplete`: its
 * answer lacked something. `pending`: there was no poll yet.
 */
export type TargetState = 'up' | 'incomplete' | 'failing' | 'stale' | 'pending';

/** A record, evaluated at the time of the page. */
export interface Watched {
  readonly record: TargetRecord;
  readonly collector: Collector;
  readonly quotas: readonly Judgement[];
  readonly state: TargetState;
  /** Whether its snapshot may be shown as the present state. */
  readonly isFresh: boolean;
}

export interface QuotaRow extends Judgement {
  readonly watched: Watched;
}

/** The number of all records, without the filter. */
export interface Summary {
  readonly targets: Readonly<Record<TargetState, number>>;
  /** The quotas that are known now, by severity, and those that are stale. */
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
  readonly quotas: Page<QuotaRow>;
  readonly targets: Page<Watched>;
  readonly kinds: readonly KindSection[];
  readonly changes: Page<Change>;
}

export function statusModel(
  view: Pick<MonitorView, 'collectors' | 'links' | 'published' | 'staleAfterMs' | 'thresholds'>,
  query: StatusQuery,
  nowMs: number,
): StatusModel {
  const { collectors } = view;
  const staleAfterMs = view.staleAfterMs();
  const thresholds = thresholdsAt(view.thresholds(), nowMs);
  const all = view.published.all().map((record) => {
    const fresh = isFresh(record, nowMs, staleAfterMs);
    return watchedOf(record, collectors.of(record.target), thresholds, fresh);
  });
  const asked = isFiltered(query) ? all.filter((watched) => isAskedFor(query, watched)) : all;
  const page = (section: string) => query.pages[section] ?? 1;
  return {
    nowMs,
    query,
    collectors,
    links: view.links(),
    summary: summaryOf(all),
    accounts: unique(all.map(({ record }) => record.target.account)),
    regions: unique(all.map(({ record }) => record.target.region)),
    quotas: pageOf(quotaRows(asked, query), page('quotas')),
    targets: pageOf(targetRows(asked, query), page('targets')),
    kinds: collectors.all.flatMap((collector) => {
      const { kind, table } = collector;
      if (table === null) return [];
      const own = asked.filter((watched) => watched.collector === collector);
      return { kind, table, page: pageOf(kindRows(own, table, query), page(table.id)) };
    }),
    changes: pageOf(changeRows(view.published.changes(), query, collectors), page('changes')),
  };
}

function watchedOf(
  record: TargetRecord,
  collector: Collector,
  thresholds: Thresholds,
  fresh: boolean,
): Watched {
  const thresholdsOfTarget = thresholdsOf(thresholds, record.target);
  return {
    record,
    collector,
    quotas: collector.quotas(record).map((quota) => judgementOf(quota, thresholdsOfTarget)),
    state: stateOf(record, fresh),
    isFresh: fresh,
  };
}

function stateOf({ freshness, snapshot }: TargetRecord, fresh: boolean): TargetState {
  if (freshness.failure !== null) return 'failing';
  if (freshness.lastPoll === null) return 'pending';
  if (!fresh) return 'stale';
  return snapshot !== null && snapshot.missing.length > 0 ? 'incomplete' : 'up';
}

function summaryOf(all: readonly Watched[]): Summary {
  const targets = { up: 0, incomplete: 0, failing: 0, stale: 0, pending: 0 };
  const quotas = { critical: 0, warning: 0, fine: 0, stale: 0 };
  for (const watched of all) {
    targets[watched.state] += 1;
    for (const { severity } of watched.quotas) {
      quotas[watched.isFresh ? severity : 'stale'] += 1;
    }
  }
  return { targets, quotas };
}

/** By account, region and kind. Each section applies the filters for text and problems itself. */
function isAskedFor(
  { account, region, kind }: StatusQuery,
  { record, collector }: Watched,
): boolean {
  return (
    (account === '' || record.target.account === account) &&
    (region === '' || record.target.region === region) &&
    (kind === '' || collector.kind === kind)
  );
}

/** The worst quota first. Quotas of stale records come last. */
function quotaRows(all: readonly Watched[], { text, onlyProblems }: StatusQuery): QuotaRow[] {
  const contains = search(text);
  const isProblem = ({ severity, watched }: QuotaRow) =>
    watched.state !== 'up' || severity !== 'fine';
  return all
    .flatMap((watched) => watched.quotas.map((judgement) => ({ ...judgement, watched })))
    .filter((row) => !onlyProblems || isProblem(row))
    .filter(({ quota, watched }) =>
      contains(quota.type, quota.zone ?? '', ...namesOf(watched.record.target)),
    )
    .sort((a, b) => Number(b.watched.isFresh) - Number(a.watched.isFresh) || compareUrgency(a, b));
}

/** The worst quota of a target. `null` when none is known now. */
export function tightestQuota({ isFresh: fresh, quotas }: Watched): Judgement | null {
  const [first, ...others] = fresh ? quotas : [];
  if (first === undefined) return null;
  return others.reduce((worst, quota) => (compareUrgency(quota, worst) < 0 ? quota : worst), first);
}

const urgency: Readonly<Record<TargetState, number>> = {
  failing: 0,
  incomplete: 1,
  stale: 2,
  pending: 3,
  up: 4,
};

/** Targets with problems first. The rest is in the order of the configuration. */
function targetRows(all: readonly Watched[], { text, onlyProblems }: StatusQuery): Watched[] {
  const contains = search(text);
  return all
    .filter(({ state }) => !onlyProblems || state !== 'up')
    .filter(({ record, state }) =>
      contains(
        state,
        record.freshness.failure?.code ?? '',
        ...(record.snapshot?.missing ?? []),
        ...namesOf(record.target),
      ),
    )
    .sort((a, b) => urgency[a.state] - urgency[b.state]);
}

/** The newest change first. */
function kindRows(
  own: readonly Watched[],
  table: KindTable,
  { text, onlyProblems }: StatusQuery,
): Watched[] {
  const contains = search(text);
  const changedAtMs = ({ record }: Watched) => record.recentChanges.at(-1)?.atMs ?? 0;
  return own
    .filter(({ state }) => !onlyProblems || state !== 'up')
    .filter(({ record }) =>
      contains(
        ...namesOf(record.target),
        ...table.cells(record).flatMap((cell) => [cell?.text ?? '', cell?.detail ?? '']),
      ),
    )
    .sort((a, b) => changedAtMs(b) - changedAtMs(a));
}

function changeRows(
  changes: readonly Change[],
  query: StatusQuery,
  collectors: CollectorSet,
): Change[] {
  const contains = search(query.text);
  return newestFirst(changes).filter(
    (change) =>
      (query.account === '' || query.account === change.account) &&
      (query.region === '' || query.region === change.region) &&
      (query.kind === '' || query.kind === collectors.of(change).kind) &&
      contains(change.kind, change.zone ?? '', change.quotaType ?? '', ...namesOf(change)),
  );
}

function namesOf({ account, region, resource = {} }: Target): string[] {
  return [account, region, ...Object.values(resource)];
}

function search(text: string) {
  const wanted = text.toLowerCase();
  return (...names: readonly string[]) =>
    wanted === '' || names.some((name) => name.toLowerCase().includes(wanted));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
