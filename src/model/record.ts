import type { Change } from './change.ts';
import type { AnomalyKind } from './poll-outcome.ts';
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
  readonly limit: number;
  readonly raised: number;
  readonly lowered: number;
}

export interface QuotaRecord {
  readonly kind: 'quota';
  readonly target: QuotaTarget;
  readonly freshness: Freshness;
  readonly snapshot: QuotaSnapshot | null;
  /** The quotas of the snapshot in its order, then at most {@link maxAbsentLimits} absent ones. */
  readonly limits: readonly LimitHistory[];
  readonly recentChanges: readonly Change[];
}

export interface LaunchTemplateRecord {
  readonly kind: 'launch-template';
  readonly target: LaunchTemplateTarget;
  readonly freshness: Freshness;
  readonly snapshot: LaunchTemplateSnapshot | null;
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
      limits: [],
      recentChanges: [],
    };
  }
  return {
    kind: 'launch-template',
    target,
    freshness: neverPolled,
    snapshot: null,
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
    return { ...record, target, snapshot: record.snapshot && narrow(record.snapshot, target) };
  }
  if (record.kind === 'launch-template' && target.operation === 'DescribeLaunchTemplateVersions') {
    return { ...record, target };
  }
  return newRecord(target);
}

/**
 * The same record with its changes counted from 0: for a target whose counters were shown from 0
 * before this record was found. A counter that jumped to what the record counted would look like as
 * many changes.
 */
export function countedFromZero(record: TargetRecord): TargetRecord {
  if (record.kind === 'quota') {
    return { ...record, limits: record.limits.map((each) => ({ ...each, raised: 0, lowered: 0 })) };
  }
  return { ...record, defaultVersionChanges: 0, versionsCreated: 0, versionsDeleted: 0 };
}

/**
 * What of a snapshot a target still selects. Its selection shrinks with it: what was left out is
 * unknown from then on, and does not appear anew when it is selected again.
 */
function narrow(snapshot: QuotaSnapshot, target: QuotaTarget): QuotaSnapshot {
  const selection = intersect(snapshot.selection, target.selection);
  const { quotaTypes, zones } = selection;
  return {
    ...snapshot,
    selection,
    quotas: snapshot.quotas.filter(
      ({ type, zone }) =>
        quotaTypes.includes(type) && (zone === null || zones === null || zones.includes(zone)),
    ),
    groupInstanceLimits: quotaTypes.includes('disaster_recover_group')
      ? snapshot.groupInstanceLimits
      : null,
  };
}

function intersect(a: QuotaSelection, b: QuotaSelection): QuotaSelection {
  return {
    quotaTypes: a.quotaTypes.filter((type) => b.quotaTypes.includes(type)),
    zones: a.zones?.filter((zone) => b.zones?.includes(zone) ?? true) ?? b.zones,
  };
}
