import type { Change } from './change.ts';
import type { Inventory } from './inventory.ts';
import type { AnomalyKind } from './poll-outcome.ts';
import { quotaKey, rowName } from './snapshot.ts';
import type { LaunchTemplateSnapshot, QuotaSnapshot } from './snapshot.ts';
import type {
  LaunchTemplateTarget,
  QuotaSelection,
  QuotaTarget,
  QuotaType,
  Target,
} from './target.ts';

/** Why a target's polls are failing. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  /** When the first of the failures in a row was seen; milliseconds since the Unix epoch. */
  readonly sinceMs: number;
}

/** When and how a target was polled. All times are milliseconds since the Unix epoch. */
export interface Freshness {
  /** `null` until the first poll ended. */
  readonly lastPoll: { readonly atMs: number; readonly durationMs: number } | null;
  readonly lastSuccessAtMs: number | null;
  /** `null` while the last poll succeeded, or there was none. */
  readonly failure: Failure | null;
  readonly polls: number;
  /** Failed polls by code; at most {@link maxFailureCodes} codes, further ones count as `Other`. */
  readonly failures: Readonly<Record<string, number>>;
  readonly anomalies: Readonly<Partial<Record<AnomalyKind, number>>>;
}

/** A quota's last known limit and how often it changed. Kept while a zone is away. */
export interface LimitHistory {
  readonly type: QuotaType;
  readonly zone: string | null;
  /** `null` when it was another account's; the next one is then no change. */
  readonly limit: number | null;
  readonly raised: number;
  readonly lowered: number;
}

/** The rows of a quota type that are known to exist, over answers that could not be read whole. */
export interface QuotaTypeInventory extends Inventory<string> {
  readonly type: QuotaType;
}

export interface QuotaInventory {
  /** What was asked for; what lies outside it is unknown, not gone. */
  readonly selection: QuotaSelection;
  /** A type that was never read is not among them. */
  readonly types: readonly QuotaTypeInventory[];
}

export interface QuotaRecord {
  readonly kind: 'quota';
  readonly target: QuotaTarget;
  readonly freshness: Freshness;
  readonly snapshot: QuotaSnapshot | null;
  /** The account's number at the service, as last told; `null` before. */
  readonly appId: number | null;
  /** `null` until an answer had a quota that could be read. */
  readonly inventory: QuotaInventory | null;
  /** The quotas of the snapshot in its order, then at most {@link maxAbsentLimits} absent ones. */
  readonly limits: readonly LimitHistory[];
  readonly recentChanges: readonly Change[];
}

export interface LaunchTemplateRecord {
  readonly kind: 'launch-template';
  readonly target: LaunchTemplateTarget;
  readonly freshness: Freshness;
  readonly snapshot: LaunchTemplateSnapshot | null;
  /** The account's number at the service, as last known; `null` before. */
  readonly appId: number | null;
  /** The versions that are known to exist; `null` before the first success. */
  readonly inventory: Inventory<number> | null;
  /** The last default version that was known without doubt; what the next one is compared with. */
  readonly lastDefaultVersion: number | null;
  readonly defaultVersionChanges: number;
  readonly defaultVersionChangedAtMs: number | null;
  readonly versionsCreated: number;
  readonly versionsDeleted: number;
  readonly recentChanges: readonly Change[];
}

/**
 * All that is known of a target: its snapshot, the counters of its changes, and its freshness.
 * Immutable, and the unit of storage: it is replaced whole, so that a snapshot and the count of the
 * changes that led to it never part.
 */
export type TargetRecord = QuotaRecord | LaunchTemplateRecord;

/** How many codes a record counts failures by, so that a confused service cannot grow it for ever. */
export const maxFailureCodes = 64;
/** How many quotas that are away a record remembers. */
export const maxAbsentLimits = 1_000;
/** How many of its own changes a record keeps, newest last; they refill the change feed at a start. */
export const maxRecentChanges = 20;

const neverPolled: Freshness = {
  lastPoll: null,
  lastSuccessAtMs: null,
  failure: null,
  polls: 0,
  failures: {},
  anomalies: {},
};

/** The record of a target that was never polled: no snapshot, counters at 0. */
export function newRecord(target: Target): TargetRecord {
  if (target.operation === 'DescribeAccountQuota') {
    return {
      kind: 'quota',
      target,
      freshness: neverPolled,
      snapshot: null,
      appId: null,
      inventory: null,
      limits: [],
      recentChanges: [],
    };
  }
  return {
    kind: 'launch-template',
    target,
    freshness: neverPolled,
    snapshot: null,
    appId: null,
    inventory: null,
    lastDefaultVersion: null,
    defaultVersionChanges: 0,
    defaultVersionChangedAtMs: null,
    versionsCreated: 0,
    versionsDeleted: 0,
    recentChanges: [],
  };
}

/** What a code is counted as, where others are counted already: itself, or `Other` once they are many. */
export function countedCode(code: string, known: ReadonlySet<string>): string {
  return known.has(code) || known.size < maxFailureCodes ? code : 'Other';
}

/**
 * A stored record, continued for a target of the same key whose selection may have changed since.
 * Quotas that are no longer selected leave the snapshot; their counters are kept.
 */
export function continueRecord(record: TargetRecord, target: Target): TargetRecord {
  if (record.kind === 'quota' && target.operation === 'DescribeAccountQuota') {
    return {
      ...record,
      target,
      snapshot: record.snapshot && narrow(record.snapshot, target),
      inventory: record.inventory && narrowInventory(record.inventory, target.selection),
    };
  }
  if (record.kind === 'launch-template' && target.operation === 'DescribeLaunchTemplateVersions') {
    return { ...record, target };
  }
  return newRecord(target);
}

/**
 * What of a snapshot a target still selects. Its selection shrinks with it: what was left out is
 * unknown from then on, and does not appear anew when it is selected again.
 */
function narrow(snapshot: QuotaSnapshot, target: QuotaTarget): QuotaSnapshot {
  const selection = intersect(snapshot.selection, target.selection);
  const { quotaTypes } = selection;
  return {
    ...snapshot,
    selection,
    quotas: snapshot.quotas.filter(
      ({ type, zone }) => quotaTypes.includes(type) && isZoneSelected(selection, zone),
    ),
    rows: snapshot.rows.filter(({ type }) => quotaTypes.includes(type)),
    groupInstanceLimits: quotaTypes.includes('disaster_recover_group')
      ? snapshot.groupInstanceLimits
      : null,
  };
}

/**
 * What of an inventory a selection leaves. Another selection may be asked with other filters, so a
 * type with unidentified rows is forgotten: they need not be among the rows of the next answer.
 */
function narrowInventory(inventory: QuotaInventory, target: QuotaSelection): QuotaInventory {
  if (isSameSelection(inventory.selection, target)) return inventory;
  const selection = intersect(inventory.selection, target);
  const types = inventory.types
    .filter(({ type, unidentified }) => unidentified === 0 && selection.quotaTypes.includes(type))
    .map((rows) => ({
      ...rows,
      known: rows.known.filter((name) => name === '' || isZoneSelected(selection, name)),
    }));
  return { selection, types };
}

export function isSameSelection(a: QuotaSelection, b: QuotaSelection): boolean {
  const text = ({ quotaTypes, zones }: QuotaSelection) => JSON.stringify([quotaTypes, zones]);
  return text(a) === text(b);
}

/** Whether a selection has a zone; `null` is the region, which is in all of them. */
export function isZoneSelected({ zones }: QuotaSelection, zone: string | null): boolean {
  return zone === null || (zones?.includes(zone) ?? true);
}

/**
 * The limits whose quotas exist as far as is known: those of the snapshot, and those that the last
 * answers had a row for, or may have had, which could not be read.
 */
export function presentLimits(record: QuotaRecord): readonly LimitHistory[] {
  const { selection } = record.target;
  const readable = new Set(record.snapshot?.quotas.map(quotaKey));
  const known = new Map(
    record.inventory?.types.map(({ type, known: names }) => [type, new Set(names)]),
  );
  return record.limits.filter(
    (history) =>
      readable.has(quotaKey(history)) ||
      (selection.quotaTypes.includes(history.type) &&
        isZoneSelected(selection, history.zone) &&
        known.get(history.type)?.has(rowName(history)) === true),
  );
}

function intersect(a: QuotaSelection, b: QuotaSelection): QuotaSelection {
  return {
    quotaTypes: a.quotaTypes.filter((type) => b.quotaTypes.includes(type)),
    zones: a.zones?.filter((zone) => b.zones?.includes(zone) ?? true) ?? b.zones,
  };
}
