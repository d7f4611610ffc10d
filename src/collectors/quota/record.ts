/** The record and the snapshot of the quotas of a region. */
import type { Inventory } from '../../model/inventory.ts';
import { forgetLimits, type LimitHistory } from '../../model/limit-history.ts';
import { quotaKey, type Quota } from '../../model/quota.ts';
import { newCounted, newSeen, type Counted, type TargetRecord } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import {
  zonalQuotaTypes,
  type QuotaSelection,
  type QuotaTarget,
  type QuotaType,
} from './target.ts';

/** A quota of an account: a row of the service's quota sets. */
export interface AccountQuota extends Quota {
  readonly type: QuotaType;
  /** Maximum of one purchase. Prepaid only, else `null`. */
  readonly onceLimit: number | null;
}

/** Maximum number of instances in one placement group, by the level of the group. */
export interface GroupInstanceLimits {
  readonly host: number | null;
  readonly switch: number | null;
  readonly rack: number | null;
}

/** The rows of an answer for a quota type, also those with unreadable numbers. */
export interface QuotaRows {
  readonly type: QuotaType;
  /** See {@link rowName}. Also names of unselected zones. Without duplicates. */
  readonly names: readonly string[];
  /** The number of rows with an unreadable name, or with a name that occurred before. */
  readonly unidentified: number;
}

/** The name of a quota's row among the rows of its type: its zone, or an empty string for the region. */
export function rowName({ zone }: Pick<Quota, 'zone'>): string {
  return zone ?? '';
}

/** The last answer of the service about the quotas of a region. */
export interface QuotaSnapshot extends Snapshot {
  readonly kind: 'quota';
  /** The requested part that is still selected. A zone outside it is unknown, not gone. */
  readonly selection: QuotaSelection;
  /** At most one per quota type and zone. */
  readonly quotas: readonly AccountQuota[];
  readonly groupInstanceLimits: GroupInstanceLimits | null;
  /** One entry for each selected type, except types with only unknown rows. */
  readonly rows: readonly QuotaRows[];
}

/** The rows of a quota type that are known to exist, also after answers that were only partly readable. */
export interface QuotaTypeInventory extends Inventory<string> {
  readonly type: QuotaType;
}

export interface QuotaInventory {
  /** The requested part. Everything outside it is unknown, not gone. */
  readonly selection: QuotaSelection;
  /** Has no type that was never read. */
  readonly types: readonly QuotaTypeInventory[];
}

export interface QuotaCounted extends Counted {
  /** `null` until an answer had a readable quota. */
  readonly inventory: QuotaInventory | null;
  /** The quotas of the snapshot in its order, then absent ones. */
  readonly limits: readonly LimitHistory[];
}

export interface QuotaRecord extends TargetRecord<QuotaCounted, QuotaSnapshot> {
  readonly kind: 'quota';
  readonly target: QuotaTarget;
}

export function newQuotaRecord(target: QuotaTarget): QuotaRecord {
  return {
    kind: 'quota',
    target,
    counted: { ...newCounted, inventory: null, limits: [] },
    seen: newSeen,
  };
}

/** Without the zones and limits of the previous account. */
export function forgetAccount(counted: QuotaCounted): QuotaCounted {
  return { ...counted, inventory: null, limits: forgetLimits(counted.limits) };
}

/** Quotas that are no longer selected are removed from the snapshot. Their counters are kept. */
export function continueQuotaRecord(
  { counted, seen, kind }: QuotaRecord,
  target: QuotaTarget,
): QuotaRecord {
  const { inventory } = counted;
  return {
    kind,
    target,
    counted: { ...counted, inventory: inventory && narrowInventory(inventory, target.selection) },
    seen: { ...seen, snapshot: seen.snapshot && narrow(seen.snapshot, target) },
  };
}

/**
 * The part of a snapshot that a target still selects. The selection of the snapshot becomes smaller too. The
 * rest is then unknown, and does not count as new when it is selected again.
 */
function narrow(snapshot: QuotaSnapshot, target: QuotaTarget): QuotaSnapshot {
  const selection = intersect(snapshot.selection, target.selection);
  const { quotaTypes } = selection;
  const types: ReadonlySet<string> = new Set(quotaTypes);
  return {
    ...snapshot,
    selection,
    quotas: snapshot.quotas.filter(
      ({ type, zone }) => types.has(type) && isZoneSelected(selection, zone),
    ),
    rows: snapshot.rows.filter(({ type }) => types.has(type)),
    groupInstanceLimits: types.has('disaster_recover_group') ? snapshot.groupInstanceLimits : null,
  };
}

/**
 * The part of an inventory that a selection keeps. A request for another selection may have other
 * filters, so the next answer may lack the unidentified rows of a type. Such a type is forgotten.
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

/** Whether a selection has a zone. `null` is the whole region, which is in every selection. */
export function isZoneSelected({ zones }: QuotaSelection, zone: string | null): boolean {
  return zone === null || (zones?.includes(zone) ?? true);
}

/**
 * The limits of quotas that are known to exist: the quotas of the snapshot, and quotas for which the last
 * answers had, or may have had, an unreadable row.
 */
export function presentLimits({ counted, seen, target }: QuotaRecord): readonly LimitHistory[] {
  const { selection } = target;
  const readable = new Set(seen.snapshot?.quotas.map(quotaKey));
  const known = new Map<string, ReadonlySet<string>>(
    counted.inventory?.types.map(({ type, known: names }) => [type, new Set(names)]),
  );
  return counted.limits.filter(
    (history) =>
      readable.has(quotaKey(history)) ||
      (isZoneSelected(selection, history.zone) &&
        known.get(history.type)?.has(rowName(history)) === true),
  );
}

/**
 * The zones of a target that were never in an answer, such as `zone ap-guangzhou-3`. A zone that was not
 * requested yet is left out. Empty while the zone of a row cannot be read.
 */
export function neverAnsweredZones(
  { counted: { inventory, limits }, seen: { snapshot } }: QuotaRecord,
  { selection }: QuotaTarget,
): readonly string[] {
  const types = inventory?.types.filter(({ type }) => zonalQuotaTypes.has(type)) ?? [];
  const isZonal = selection.quotaTypes.some((type) => zonalQuotaTypes.has(type));
  if (snapshot === null || !isZonal || types.some(({ unidentified }) => unidentified > 0))
    return [];
  const seen = new Set([...types.flatMap(({ known }) => known), ...limits.map(rowName)]);
  return (selection.zones ?? [])
    .filter((zone) => isZoneSelected(snapshot.selection, zone) && !seen.has(zone))
    .map((zone) => `zone ${zone}`);
}

function intersect(a: QuotaSelection, b: QuotaSelection): QuotaSelection {
  return {
    quotaTypes: a.quotaTypes.filter((type) => b.quotaTypes.includes(type)),
    zones: a.zones?.filter((zone) => b.zones?.includes(zone) ?? true) ?? b.zones,
  };
}
