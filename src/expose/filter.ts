/**
 * The filter of the status page and of `/api/v1`: labels and the values that are asked for, such as
 * `account=production&quota_type=spotpaid`. It has the names of the labels of metrics, so that alerts can link to
 * what they are about. A misspelt name or value is an error, and is never ignored.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Change } from '../model/change.ts';
import type { Target } from '../model/target.ts';
import { quotaRowsOf, type QuotaRow, type Watched } from './watched.ts';

/** By label, the values that are asked for. A label that is not in it is not restricted. */
export type Filter = ReadonlyMap<string, readonly string[]>;

type Labels = Readonly<Record<string, string>>;

/** The message names each mistake, and what would be right. */
export class FilterError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FilterError';
  }
}

/** The labels that a filter may have. */
function filterNames(collectors: CollectorSet): readonly string[] {
  const resources = collectors.all.flatMap(({ resourceLabels }) => resourceLabels);
  return ['account', 'region', 'quota_type', ...new Set(resources)];
}

/** The values of a label that anything watched has, in the order of the configuration. */
export function valuesOf(name: string, all: readonly Watched[]): readonly string[] {
  const values = all.flatMap((watched) =>
    name === 'quota_type' ? typesOf(watched) : (labelsOf(watched.record.target)[name] ?? []),
  );
  return [...new Set(values)];
}

function typesOf(watched: Watched): string[] {
  const { target } = watched.record;
  return [
    ...watched.collector.reportableQuotas(target).map(({ type }) => type),
    ...quotaRowsOf(watched).map(({ quota }) => quota.type),
  ];
}

/**
 * Reads a query string. An empty value counts as absent: a form sends it when nothing is chosen.
 *
 * @param others the parameters that are no filters
 * @throws FilterError for a name that is none of these, and for a value that nothing watched has
 */
export function readFilter(
  search: URLSearchParams,
  all: readonly Watched[],
  collectors: CollectorSet,
  others: readonly string[],
): Filter {
  const names = filterNames(collectors);
  const filter = new Map<string, string[]>();
  const mistakes: string[] = [];
  for (const [name, value] of search) {
    if (!names.includes(name)) {
      if (others.includes(name)) continue;
      mistakes.push(
        `unknown parameter ${name}: allowed are ${[...names, ...others].toSorted().join(', ')}`,
      );
    } else if (value !== '') filter.set(name, [...(filter.get(name) ?? []), value]);
  }
  for (const [name, asked] of filter) {
    const known = valuesOf(name, all);
    for (const value of asked.filter((each) => !known.includes(each))) {
      mistakes.push(`nothing that is watched has the ${name} ${value}`);
    }
  }
  if (mistakes.length > 0) throw new FilterError([...new Set(mistakes)].join('; '));
  return filter;
}

/** Whether a target, or one of its quotas, can be asked for. */
export function admitsTarget(filter: Filter, watched: Watched): boolean {
  const types = filter.get('quota_type');
  const isOfType = types?.some((type) => typesOf(watched).includes(type)) ?? true;
  return isOfType && admits(filter, labelsOf(watched.record.target), ['quota_type']);
}

export function admitsQuota(filter: Filter, { quota, watched }: QuotaRow): boolean {
  return admits(filter, {
    ...labelsOf(watched.record.target),
    ...quota.labels,
    quota_type: quota.type,
  });
}

export function admitsChange(filter: Filter, change: Change): boolean {
  const { quotaType } = change;
  return admits(filter, {
    ...labelsOf(change),
    ...(quotaType !== null && { quota_type: quotaType }),
  });
}

/** @param open labels that everything may have */
function admits(filter: Filter, labels: Labels, open: readonly string[] = []): boolean {
  for (const [name, asked] of filter) {
    if (!open.includes(name) && !asked.includes(labels[name] ?? '')) return false;
  }
  return true;
}

function labelsOf({ account, region, resource }: Target): Labels {
  return { ...resource, account, region };
}
