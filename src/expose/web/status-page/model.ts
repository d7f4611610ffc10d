/** What the status page shows: a projection of the published records, and no markup. */
import type { Change } from '../../../model/change.ts';
import type { LaunchTemplateRecord, QuotaRecord, TargetRecord } from '../../../model/record.ts';
import type { Quota } from '../../../model/snapshot.ts';
import { isFresh } from '../../../model/staleness.ts';
import { templateIdOf } from '../../../model/target.ts';
import type { MonitorView } from '../../monitor-view.ts';
import { compareStanding, severityOf, type Severity } from '../../quota-standing.ts';
import { newestFirst } from '../json/changes.ts';
import { pageOf, type Page } from './paging.ts';
import { isFiltered, type StatusQuery } from './query.ts';

/** `failing`: the last poll failed. `stale`: it did not, but was too long ago. `pending`: there was none. */
export type TargetState = 'up' | 'failing' | 'stale' | 'pending';

/** A record, judged at the time of the page. */
export interface Watched<R extends TargetRecord = TargetRecord> {
  readonly record: R;
  readonly state: TargetState;
  /** Whether its snapshot may be shown as the present state. */
  readonly isFresh: boolean;
}

export interface QuotaRow {
  readonly quota: Quota;
  readonly watched: Watched<QuotaRecord>;
}

/** How many there are in all, whatever the filter. */
export interface Summary {
  readonly targets: Readonly<Record<TargetState, number>>;
  /** The quotas that are known now. */
  readonly quotas: Readonly<Record<Severity, number>>;
}

export interface StatusModel {
  readonly nowMs: number;
  readonly query: StatusQuery;
  readonly summary: Summary;
  /** The names to filter by. */
  readonly accounts: readonly string[];
  readonly regions: readonly string[];
  readonly quotas: Page<QuotaRow>;
  readonly targets: Page<Watched>;
  readonly templates: Page<Watched<LaunchTemplateRecord>>;
  readonly changes: Page<Change>;
}

export function statusModel(
  view: Pick<MonitorView, 'published' | 'staleAfterMs'>,
  query: StatusQuery,
  nowMs: number,
): StatusModel {
  const staleAfterMs = view.staleAfterMs();
  const all = view.published.all().map((record) => judge(record, nowMs, staleAfterMs));
  const asked = isFiltered(query) ? all.filter((watched) => isAskedFor(query, watched)) : all;
  const { pages } = query;
  return {
    nowMs,
    query,
    summary: summaryOf(all),
    accounts: unique(all.map(({ record }) => record.target.account)),
    regions: unique(all.map(({ record }) => record.target.region)),
    quotas: pageOf(quotaRows(asked, query), pages.quotas),
    targets: pageOf(targetRows(asked, query), pages.targets),
    templates: pageOf(templateRows(asked, query), pages.templates),
    changes: pageOf(changeRows(view.published.changes(), query), pages.changes),
  };
}

function judge(record: TargetRecord, nowMs: number, staleAfterMs: number): Watched {
  const fresh = isFresh(record, nowMs, staleAfterMs);
  const { failure, lastPoll } = record.freshness;
  if (failure !== null) return { record, state: 'failing', isFresh: fresh };
  if (lastPoll === null) return { record, state: 'pending', isFresh: fresh };
  return { record, state: fresh ? 'up' : 'stale', isFresh: fresh };
}

function summaryOf(all: readonly Watched[]): Summary {
  const targets = { up: 0, failing: 0, stale: 0, pending: 0 };
  const quotas = { critical: 0, warning: 0, fine: 0 };
  for (const { record, state, isFresh: fresh } of all) {
    targets[state] += 1;
    if (!fresh || record.kind !== 'quota') continue;
    for (const quota of record.snapshot?.quotas ?? []) quotas[severityOf(quota)] += 1;
  }
  return { targets, quotas };
}

/** By account, region and kind; text and problems are for each section to judge. */
function isAskedFor({ account, region, kind }: StatusQuery, { record }: Watched): boolean {
  return (
    (account === '' || record.target.account === account) &&
    (region === '' || record.target.region === region) &&
    (kind === '' || record.kind === kind)
  );
}

/** The worst first; what is not known to be so now comes after what is. */
function quotaRows(all: readonly Watched[], { text, onlyProblems }: StatusQuery): QuotaRow[] {
  const contains = search(text);
  const isProblem = ({ quota, watched }: QuotaRow) =>
    watched.state !== 'up' || severityOf(quota) !== 'fine';
  return all
    .flatMap(({ record, ...judged }) =>
      record.kind === 'quota'
        ? (record.snapshot?.quotas ?? []).map((quota) => ({
            quota,
            watched: { record, ...judged },
          }))
        : [],
    )
    .filter((row) => !onlyProblems || isProblem(row))
    .filter(({ quota, watched }) =>
      contains(quota.type, quota.zone ?? '', ...namesOf(watched.record)),
    )
    .sort(
      (a, b) =>
        Number(b.watched.isFresh) - Number(a.watched.isFresh) || compareStanding(a.quota, b.quota),
    );
}

/** The quota of a region that is nearest to its end; `null` where none is known now. */
export function tightestQuota({ record, isFresh: fresh }: Watched): Quota | null {
  if (!fresh || record.kind !== 'quota') return null;
  const [first, ...others] = record.snapshot?.quotas ?? [];
  if (first === undefined) return null;
  return others.reduce(
    (worst, quota) => (compareStanding(quota, worst) < 0 ? quota : worst),
    first,
  );
}

const urgency: Readonly<Record<TargetState, number>> = { failing: 0, stale: 1, pending: 2, up: 3 };

/** Those with problems first, else in the order of the configuration. */
function targetRows(all: readonly Watched[], { text, onlyProblems }: StatusQuery): Watched[] {
  const contains = search(text);
  return all
    .filter(({ state }) => !onlyProblems || state !== 'up')
    .filter(({ record, state }) =>
      contains(state, record.freshness.failure?.code ?? '', ...namesOf(record)),
    )
    .sort((a, b) => urgency[a.state] - urgency[b.state]);
}

/** The last changed first. */
function templateRows(
  all: readonly Watched[],
  { text, onlyProblems }: StatusQuery,
): Watched<LaunchTemplateRecord>[] {
  const contains = search(text);
  const changedAtMs = ({ record }: Watched) => record.recentChanges.at(-1)?.atMs ?? 0;
  return all
    .flatMap(({ record, ...judged }) =>
      record.kind === 'launch-template' ? [{ record, ...judged }] : [],
    )
    .filter(({ state }) => !onlyProblems || state !== 'up')
    .filter(({ record }) => {
      const { imageId = '', instanceType = '' } = record.snapshot?.defaultVersion ?? {};
      return contains(imageId, instanceType, ...namesOf(record));
    })
    .sort((a, b) => changedAtMs(b) - changedAtMs(a));
}

function changeRows(changes: readonly Change[], query: StatusQuery): Change[] {
  const contains = search(query.text);
  return newestFirst(changes).filter(
    ({ account, region, templateId, kind, zone, quotaType }) =>
      (query.account === '' || query.account === account) &&
      (query.region === '' || query.region === region) &&
      (query.kind === '' || query.kind === (templateId === '' ? 'quota' : 'launch-template')) &&
      contains(kind, account, region, templateId, zone ?? '', quotaType ?? ''),
  );
}

function namesOf({ target }: TargetRecord): string[] {
  return [target.account, target.region, templateIdOf(target)];
}

function search(text: string) {
  const wanted = text.toLowerCase();
  return (...names: readonly string[]) =>
    wanted === '' || names.some((name) => name.toLowerCase().includes(wanted));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
