/**
 * The query strings of the status page and of `/api/v1`: labels and the values that are asked for, such as
 * `account=production&quota_type=spotpaid`, and options of one answer, such as `format=csv`. Labels have the names of
 * those of metrics, so that alerts can link to what they are about. A mistake is an error, and is never ignored.
 */
import type { Change } from '../model/change.ts';
import type { LaunchRow } from '../model/launches/judge-region.ts';
import type { Target } from '../model/target.ts';
import type { Evaluator } from './evaluation.ts';
import { shortened } from './text.ts';
import { isUp, resourceOf, type QuotaRow, type EvaluatedRecord } from './evaluated-record.ts';

/** The labels of a target, a quota, a launch or a change, by which it is asked for. */
export type Labels = Readonly<Record<string, string | null>>;

/** By label, the values that are asked for. A label that is not in it is not restricted. */
export type Filter = ReadonlyMap<string, readonly string[]>;

/** By parameter, the values that it may have. `null`: any time. */
type Parameters = Readonly<Record<string, readonly string[] | null>>;

/** The message names each mistake, and what would be right. */
export class FilterError extends Error {}

export function placeLabels({ account, region, resource }: Target): Labels {
  return { account, region, ...resource };
}

export function quotaLabels(row: QuotaRow): Labels {
  const { account, region } = row.evaluated.record.target;
  const { type, zone } = row.quota;
  return { account, region, ...resourceOf(row), zone, quota_type: type };
}

export function launchLabels({ account, region, templateId }: LaunchRow): Labels {
  return { account, region, template_id: templateId };
}

export function changeLabels(change: Change): Labels {
  return { ...placeLabels(change), kind: change.kind, quota_type: change.quotaType };
}

/** Those of the target, also with each type of quota that it can report, and those of its quotas. */
export function targetLabels(watched: EvaluatedRecord): readonly Labels[] {
  const { collector, quotas, record } = watched;
  const own = { kind: collector.kind, up: String(isUp(watched)) };
  const labels = { ...placeLabels(record.target), ...own };
  const reportable = collector.reportableQuotas(record.target);
  return [
    labels,
    ...reportable.map(({ type }) => ({ ...labels, quota_type: type })),
    ...quotas.map((row) => ({ ...quotaLabels(row), ...own })),
  ];
}

/** Whether a filter asks for what has one of these labels. */
export function admits(filter: Filter, ...all: readonly Labels[]): boolean {
  return all.some((labels) =>
    [...filter].every(([name, asked]) => asked.includes(labels[name] ?? '')),
  );
}

/** What an address may ask for besides the labels of what is watched. */
interface Askable {
  /** Further labels, with their values. */
  readonly labels?: Parameters;
  /** Must not be repeated. */
  readonly options?: Parameters;
  /** The labels of what is not watched any more, and can be asked for. */
  readonly gone?: readonly Labels[];
}

export type Asked = Awaited<ReturnType<typeof ask>>;

/**
 * What is watched now, and which of it a query string asks for. An empty value counts as absent: a form sends it when
 * nothing is chosen.
 *
 * @returns also the values of each label, in the order of the configuration
 * @throws FilterError
 */
export async function ask({ view, evaluate }: Evaluator, query: string, more: Askable = {}) {
  const present = await evaluate();
  const all = [...present.targets.flatMap(targetLabels), ...(more.gone ?? [])];
  const resources = view.collectors.all.flatMap(({ resourceLabels }) => resourceLabels);
  const names = ['account', 'region', 'quota_type', ...new Set(resources)];
  const labels = Object.fromEntries(
    names.map((name) => [name, [...new Set(all.flatMap((each) => each[name] ?? []))]]),
  );
  const filters = { ...labels, ...more.labels };
  const known = new Map(Object.entries({ ...filters, ...more.options }));
  const filter = new Map<string, readonly string[]>();
  const options = new Map<string, string>();
  const mistakes: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const values = known.get(name);
    if (values === undefined) {
      const allowed = [...known.keys()].toSorted().join(', ');
      mistakes.push(`unknown parameter ${name}; allowed are ${allowed}`);
    } else if (value === '') continue;
    else if (!(values?.includes(value) ?? !Number.isNaN(timeOf(value)))) {
      mistakes.push(`${name} must be ${valuesText(values)}`);
    } else if (Object.hasOwn(filters, name)) {
      filter.set(name, [...(filter.get(name) ?? []), value]);
    } else if (options.has(name)) mistakes.push(`${name} must be given once`);
    else options.set(name, value);
  }
  if (mistakes.length > 0) throw new FilterError([...new Set(mistakes)].join('; '));
  return { ...present, labels, filter, options };
}

/** Values that a message names. */
const maxNamed = 20;

function valuesText(values: readonly string[] | null): string {
  if (values === null)
    return 'a time such as 2026-02-03T14:05:00Z, or milliseconds since the Unix epoch';
  if (values.length === 0) return 'left out: nothing that is watched has one';
  return `one of ${shortened(values, maxNamed).join(', ')}`;
}

const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since the Unix epoch. NaN for a text that is no time. */
export function timeOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return isoTime.test(text) ? Date.parse(text) : NaN;
}
