/** What is known of a region's quotas. */
import type { LimitHistory } from '../../model/limit-history.ts';
import type { Quota } from '../../model/quota.ts';
import { neverPolled, type TargetRecord } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { QuotaSelection, QuotaTarget, QuotaType } from './target.ts';

/** A quota of an account: a row of the service's quota sets. */
export interface AccountQuota extends Quota {
  readonly type: QuotaType;
  /** The most that one purchase may take; prepaid only, else `null`. */
  readonly onceLimit: number | null;
}

/** The most instances that one placement group may hold, by the level it spreads over. */
export interface GroupInstanceLimits {
  readonly host: number | null;
  readonly switch: number | null;
  readonly rack: number | null;
}

/** What the service last said about a region's quotas. */
export interface QuotaSnapshot extends Snapshot {
  readonly kind: 'quota';
  readonly appId: number | null;
  /** What was asked for and is selected still; a zone outside it is unknown, not gone. */
  readonly selection: QuotaSelection;
  /** At most one per quota type and zone. */
  readonly quotas: readonly AccountQuota[];
  readonly groupInstanceLimits: GroupInstanceLimits | null;
}

export interface QuotaRecord extends TargetRecord {
  readonly kind: 'quota';
  readonly target: QuotaTarget;
  readonly snapshot: QuotaSnapshot | null;
  /** The quotas of the snapshot in its order, then absent ones. */
  readonly limits: readonly LimitHistory[];
}

export function newQuotaRecord(target: QuotaTarget): QuotaRecord {
  return {
    kind: 'quota',
    target,
    freshness: neverPolled,
    snapshot: null,
    limits: [],
    recentChanges: [],
  };
}

/** Quotas that are no longer selected leave the snapshot; their counters are kept. */
export function continueQuotaRecord(record: QuotaRecord, target: QuotaTarget): QuotaRecord {
  return { ...record, target, snapshot: record.snapshot && narrow(record.snapshot, target) };
}

/**
 * What of a snapshot a target still selects. Its selection shrinks with it: what was left out is
 * unknown from then on, and does not appear as new when it is selected again.
 */
function narrow(snapshot: QuotaSnapshot, target: QuotaTarget): QuotaSnapshot {
  const selection = intersect(snapshot.selection, target.selection);
  const { quotaTypes, zones } = selection;
  const types: ReadonlySet<string> = new Set(quotaTypes);
  return {
    ...snapshot,
    selection,
    quotas: snapshot.quotas.filter(
      ({ type, zone }) =>
        types.has(type) && (zone === null || zones === null || zones.includes(zone)),
    ),
    groupInstanceLimits: types.has('disaster_recover_group') ? snapshot.groupInstanceLimits : null,
  };
}

function intersect(a: QuotaSelection, b: QuotaSelection): QuotaSelection {
  return {
    quotaTypes: a.quotaTypes.filter((type) => b.quotaTypes.includes(type)),
    zones: a.zones?.filter((zone) => b.zones?.includes(zone) ?? true) ?? b.zones,
  };
}
