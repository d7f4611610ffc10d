/** The filter of the status page and of `/api/v1/quotas`. */
import type { Change } from '../../model/change.ts';
import { targetKey, type Target } from '../../model/target.ts';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { isMuted, isOverdrawn } from '../severity.ts';
import { presentSeverity, type QuotaRow } from './watched.ts';

/** What is asked for. An empty list or text is no filter. */
export interface Filter {
  readonly accounts: readonly string[];
  readonly regions: readonly string[];
  /** The kinds of collectors. */
  readonly kinds: readonly string[];
  /** The key of one target. */
  readonly target: string;
  /** A text to search for in what a row shows; case does not matter. */
  readonly text: string;
  readonly onlyProblems: boolean;
}

/** Whether a target is asked for. The text and `onlyProblems` apply to its rows. */
export function admits(filter: Filter, target: Target, kind: string): boolean {
  return (
    isIn(filter.accounts, target.account) &&
    isIn(filter.regions, target.region) &&
    isIn(filter.kinds, kind) &&
    (filter.target === '' || targetKey(target) === filter.target)
  );
}

function isIn(asked: readonly string[], value: string): boolean {
  return asked.length === 0 || asked.includes(value);
}

/** Whether the rows of a filter contain a quota of a target that is asked for. */
export function admitsQuota({ onlyProblems, text }: Filter, row: QuotaRow): boolean {
  if (onlyProblems && row.watched.state === 'up' && row.severity === 'fine') return false;
  if (text === '') return true;
  const { quota, watched } = row;
  return contains(text, [
    quota.type,
    quota.unit,
    watched.collector.quotaNote(quota),
    quota.zone ?? wholeRegion,
    severityText(row),
    troubleText(row),
    isMuted(row) ? mutedText : '',
    ...namesOf(watched.record.target),
  ]);
}

/** Marks a quota without thresholds. */
export const mutedText = 'muted';
/** Shown in place of the zone of a quota without one. */
export const wholeRegion = 'whole region';

/** The severity of a quota in the words of the page. Empty for a quota that is fine. */
export function severityText(row: QuotaRow): string {
  const severity = presentSeverity(row);
  if (severity === 'fine') return '';
  if (severity === 'stale' || severity === 'unknown') return severity;
  if (isOverdrawn(row.quota)) return 'overdrawn';
  return severity === 'critical' ? 'critical' : 'low';
}

/** What is wrong with the last poll of a quota that is not stale. Empty without trouble. */
export function troubleText({ watched: { isFresh, state } }: QuotaRow): string {
  return isFresh && (state === 'failing' || state === 'incomplete') ? state : '';
}

/** Whether a change is asked for. */
export function admitsChange(filter: Filter, change: Change, collectors: CollectorSet): boolean {
  return (
    admits(filter, change, collectors.of(change).kind) &&
    contains(filter.text, [
      change.kind,
      collectors.changeText(change),
      collectors.nameOf(change),
      ...namesOf(change),
    ])
  );
}

/** Whether one of the texts of a row contains the text that is searched for. */
export function contains(text: string, shown: readonly string[]): boolean {
  const wanted = text.toLowerCase();
  return wanted === '' || shown.some((each) => each.toLowerCase().includes(wanted));
}

export function namesOf({ account, region, resource = {} }: Target): string[] {
  return [account, region, ...Object.values(resource)];
}
