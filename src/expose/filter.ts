/**
 * The query strings of the status page and of `/api/v1`: labels and the values that are asked for, such as
 * `account=production&quota_type=spotpaid`, and options of one answer, such as `format=csv`. Labels have the names of
 * those of metrics, so that alerts can link to what they are about. A mistake is an error, and is never ignored.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import { mapWithYields, type Pace } from '../model/async.ts';
import type { Change } from '../model/change.ts';
import type { EvaluatedLaunch } from '../model/launches/judge-region.ts';
import { maxInstances } from '../model/launches/parts/version.ts';
import type { Target } from '../model/target.ts';
import { english } from '../model/texts/texts.ts';
import { firstTexts } from './text.ts';
import type { Answer } from './answers.ts';
import type { EvaluatedQuota, EvaluatedRecord, Evaluator } from './evaluation.ts';

/**
 * The public labels of a target, a quota, a launch or a change. A filter compares them; they are also fields of the JSON,
 * parameters of links, and for launches labels of the metrics. A new key is a new label or field there.
 */
export type Labels = Readonly<Record<string, string | null>>;

/** By label, the values that are asked for. A label that is not in it is not restricted. */
export type Filter = ReadonlyMap<string, readonly string[]>;

/** By parameter, the values that it may have: those of a list, or any time or number of instances. */
export type AllowedValues = Readonly<Record<string, readonly string[] | 'timestamp' | 'count'>>;

/** A query with mistakes. The message names each one, and what would be right. The client gets it with status 400. */
export class FilterError extends Error {}

/** Answers a query of `/api/v1` with a list. Rejects with a {@link FilterError}. */
export type ListAnswer = (evaluator: Evaluator, query: string, pace: Pace) => Promise<Answer>;

/** The labels of a target. A change has the target's fields, too. */
export function targetLabels({ account, region, resource }: Target): Labels {
  return { account, region, ...resource };
}

export function quotaLabels({ evaluated, quota }: EvaluatedQuota): Labels {
  const labels = { ...targetLabels(evaluated.record.target), ...quota.labels };
  return { ...labels, zone: quota.zone, quota_type: quota.type };
}

export function launchLabels({ account, groupId, region, templateId }: EvaluatedLaunch): Labels {
  const id = groupId === '' ? { template_id: templateId } : { scaling_group_id: groupId };
  return { account, region, ...id };
}

export function changeLabels(change: Change): Labels {
  return { ...targetLabels(change), kind: change.kind, quota_type: change.quotaType };
}

/**
 * The label sets by which a target can be asked for: its labels alone, its labels with each type of quota that it can report,
 * and those of its quotas.
 */
function recordLabelSets(evaluated: EvaluatedRecord): readonly Labels[] {
  const { collector, isUp, quotas, record } = evaluated;
  const kindAndUp = { kind: collector.kind, up: String(isUp) };
  const labels = { ...targetLabels(record.target), ...kindAndUp };
  const reportable = collector.reportableQuotas(record.target);
  return [
    labels,
    ...reportable.map(({ type }) => ({ ...labels, quota_type: type })),
    ...quotas.map((quota) => ({ ...quotaLabels(quota), ...kindAndUp })),
  ];
}

/** True if one of the label sets has an allowed value for every label of the filter. An empty filter selects everything. */
export function matchesFilter(filter: Filter, ...labelSets: readonly Labels[]): boolean {
  return labelSets.some((labels) =>
    [...filter].every(([name, allowed]) => allowed.includes(labels[name] ?? '')),
  );
}

/** True if the filter selects a target, or one of its quotas. */
export function matchesRecord(filter: Filter, evaluated: EvaluatedRecord): boolean {
  // The label sets take long to make.
  return filter.size === 0 || matchesFilter(filter, ...recordLabelSets(evaluated));
}

/**
 * The values that a query may ask for, by label: `account`, `region`, `quota_type`, and the labels of the resources of every
 * kind. Values are in the order of the targets, each once.
 *
 * @param others label sets of what has no target any more, such as old changes. Defaults to none
 */
export async function labelValues(
  targets: readonly EvaluatedRecord[],
  collectors: CollectorSet,
  pace: Pace,
  others: readonly Labels[] = [],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const resources = collectors.all.flatMap(({ resourceLabels }) => resourceLabels);
  const names = ['account', 'region', 'quota_type', ...new Set(resources)];
  const labelSets = await mapWithYields(targets, recordLabelSets, pace);
  const sets = [...labelSets.flat(), ...others];
  const valuesOf = (name: string) => [...new Set(sets.flatMap((labels) => labels[name] ?? []))];
  const values = await mapWithYields(names, (name) => [name, valuesOf(name)] as const, pace);
  return Object.fromEntries(values);
}

/**
 * Parses a query string. An empty value counts as absent: a form sends it when nothing is chosen.
 *
 * @param labels may be repeated: each value is allowed
 * @param options parameters of one answer, such as `format`, which must not be repeated. Defaults to none
 * @throws FilterError which names every unknown parameter and every value that is not allowed
 */
export function parseQuery(query: string, labels: AllowedValues, options: AllowedValues = {}) {
  const parameters = new Map(Object.entries({ ...labels, ...options }));
  const filter = new Map<string, readonly string[]>();
  const chosenOptions = new Map<string, string>();
  const mistakes: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const allowed = parameters.get(name);
    if (allowed === undefined) {
      const names = [...parameters.keys()].toSorted().join(', ');
      mistakes.push(`unknown parameter ${name}; allowed are ${names}`);
    } else if (value === '') continue;
    else if (!isAllowed(value, allowed)) mistakes.push(`${name} must be ${allowedText(allowed)}`);
    else if (Object.hasOwn(labels, name)) {
      filter.set(name, [...(filter.get(name) ?? []), value]);
    } else if (chosenOptions.has(name)) mistakes.push(`${name} must be given once`);
    else chosenOptions.set(name, value);
  }
  if (mistakes.length > 0) throw new FilterError([...new Set(mistakes)].join('; '));
  return { filter, options: chosenOptions };
}

/** True for a number of instances that one launch may start. */
export function isLaunchCount(text: string): boolean {
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) <= maxInstances;
}

function isAllowed(value: string, allowed: AllowedValues[string]): boolean {
  if (allowed === 'count') return isLaunchCount(value);
  return allowed === 'timestamp' ? parseTimestamp(value) !== null : allowed.includes(value);
}

/** Maximum number of values that a message names. */
const maxNamed = 20;

function allowedText(allowed: AllowedValues[string]): string {
  if (allowed === 'count') return `a number from 1 to ${maxInstances}`;
  if (allowed === 'timestamp')
    return 'a time such as 2026-02-03T14:05:00Z, or milliseconds since the Unix epoch';
  if (allowed.length === 0) return 'left out: nothing that is watched has one';
  return `one of ${firstTexts(allowed, maxNamed, english).join(', ')}`;
}

const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since the Unix epoch. `null` for a text that is no time. */
export function parseTimestamp(text: string): number | null {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const ms = isoTime.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** The address of the status page with a filter: relative, so that it works below a path of a proxy, too. */
export function pageAddress(filter: Readonly<Record<string, string>>): string {
  const query = String(new URLSearchParams(filter));
  return query === '' ? './' : `./?${query}`;
}
