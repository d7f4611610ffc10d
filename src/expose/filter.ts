/**
 * The query strings of the status page and of `/api/v1`: labels and the values that are asked for, such as
 * `account=production&quota_type=spotpaid`, and options of one answer, such as `format=csv`. Labels have the names of
 * those of metrics, so that alerts can link to what they are about. A mistake is an error, and is never ignored.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Change } from '../model/change.ts';
import type { Target } from '../model/target.ts';
import { counted } from './number-format.ts';
import type { QuotaRow, Watched } from './watched.ts';

/** By label, the values that are asked for. A label that is not in it is not restricted. */
export type Filter = ReadonlyMap<string, readonly string[]>;

/** What a parameter may be. */
export interface Parameter {
  accepts(text: string): boolean;
  /** Follows `must be`. */
  readonly what: string;
}

type Parameters = Readonly<Record<string, Parameter>>;
type Labels = Readonly<Record<string, string>>;

/** The message names each mistake, and what would be right. */
export class FilterError extends Error {
  constructor(mistakes: readonly string[]) {
    super([...new Set(mistakes)].join('; '));
    this.name = 'FilterError';
  }
}

/** Values that a message names. */
const maxNamed = 20;

export function oneOf(values: readonly string[]): Parameter {
  const more = values.length - maxNamed;
  const named = values.slice(0, maxNamed).join(', ');
  return {
    accepts: (text) => values.includes(text),
    what:
      named === ''
        ? 'left out: nothing that is watched has one'
        : `one of ${named}${more > 0 ? `, or ${counted(more, 'other')}` : ''}`,
  };
}

/**
 * The labels of what is watched, with their values.
 *
 * @param changes have values of their own: their target may not be watched any more
 */
export function labelsOf(
  all: readonly Watched[],
  collectors: CollectorSet,
  changes: readonly Change[] = [],
): Parameters {
  const resources = collectors.all.flatMap(({ resourceLabels }) => resourceLabels);
  const names = ['account', 'region', 'quota_type', ...new Set(resources)];
  const changed = changes.map(labelsOfChange);
  return Object.fromEntries(
    names.map((name) => {
      const values = [...valuesOf(name, all), ...changed.flatMap((labels) => labels[name] ?? [])];
      return [name, oneOf([...new Set(values)])];
    }),
  );
}

/** The values of a label that anything watched has, in the order of the configuration. */
export function valuesOf(name: string, all: readonly Watched[]): readonly string[] {
  const values = all.flatMap((watched) =>
    name === 'quota_type'
      ? typesOf(watched)
      : (labelsOfTarget(watched.record.target)[name] ??
        watched.quotas.flatMap(({ quota }) => quota.labels?.[name] ?? [])),
  );
  return [...new Set(values)];
}

function typesOf({ collector, quotas, record }: Watched): string[] {
  return [
    ...collector.reportableQuotas(record.target).map(({ type }) => type),
    ...quotas.map(({ quota }) => quota.type),
  ];
}

/**
 * Reads a query string. An empty value counts as absent: a form sends it when nothing is chosen.
 *
 * @param labels may be repeated
 * @param options must not
 * @throws FilterError
 */
export function readQuery(
  search: URLSearchParams,
  labels: Parameters,
  options: Parameters = {},
): { readonly filter: Filter; readonly options: ReadonlyMap<string, string> } {
  const known = new Map(Object.entries({ ...labels, ...options }));
  const filter = new Map<string, string[]>();
  const chosen = new Map<string, string>();
  const mistakes: string[] = [];
  for (const [name, value] of search) {
    const parameter = known.get(name);
    if (parameter === undefined) {
      const allowed = [...known.keys()].toSorted().join(', ');
      mistakes.push(`unknown parameter ${name}; allowed are ${allowed}`);
    } else if (value === '') continue;
    else if (!parameter.accepts(value)) mistakes.push(`${name} must be ${parameter.what}`);
    else if (Object.hasOwn(labels, name)) filter.set(name, [...(filter.get(name) ?? []), value]);
    else if (chosen.has(name)) mistakes.push(`${name} must be given once`);
    else chosen.set(name, value);
  }
  if (mistakes.length > 0) throw new FilterError(mistakes);
  return { filter, options: chosen };
}

/** Whether a target, or one of its quotas, is asked for. */
export function admitsTarget(filter: Filter, watched: Watched): boolean {
  const { kind } = watched.collector;
  return [...filter].every(([name, asked]) =>
    (name === 'kind' ? [kind] : valuesOf(name, [watched])).some((value) => asked.includes(value)),
  );
}

export function admitsQuota(filter: Filter, { quota, watched }: QuotaRow): boolean {
  const labels = labelsOfTarget(watched.record.target);
  return admits(filter, { ...labels, ...quota.labels, quota_type: quota.type });
}

export function admitsLaunch(
  filter: Filter,
  { account, region, templateId }: Pick<Target, 'account' | 'region'> & { templateId: string },
): boolean {
  return admits(filter, { account, region, template_id: templateId });
}

export function admitsChange(filter: Filter, change: Change): boolean {
  return admits(filter, labelsOfChange(change));
}

function labelsOfChange(change: Change): Labels {
  const { kind, quotaType } = change;
  return { ...labelsOfTarget(change), kind, ...(quotaType !== null && { quota_type: quotaType }) };
}

function admits(filter: Filter, labels: Labels): boolean {
  return [...filter].every(([name, asked]) => asked.includes(labels[name] ?? ''));
}

function labelsOfTarget({ account, region, resource }: Target): Labels {
  return { ...resource, account, region };
}
