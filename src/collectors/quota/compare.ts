import type { Difference } from '../../model/change.ts';
import { compareInventories, type Inventory } from '../../model/inventory.ts';
import { compareLimits } from '../../model/limit-history.ts';
import type { Comparison } from '../../model/advance.ts';
import {
  isSameSelection,
  isZoneSelected,
  type QuotaInventory,
  type QuotaCounted,
  type QuotaRecord,
  type QuotaSnapshot,
  type QuotaTypeInventory,
} from './record.ts';
import { zonalQuotaTypes } from './target.ts';

/**
 * Compares the quotas of a region with the known ones. It finds zones that were added or removed, and limits
 * that changed. A limit is compared with the last known one, also after polls in which its zone was absent or
 * unreadable. `used` is not compared: it changes all the time, and at the start of a month prepaid `used`
 * falls to 0 (docs/service.md, section 5).
 */
export function compareQuotas(
  { counted }: QuotaRecord,
  snapshot: QuotaSnapshot,
  nowMs: number,
): Comparison<QuotaCounted> {
  const rows = compareRows(counted.inventory, snapshot);
  const { limits, differences } = compareLimits(counted.limits, snapshot.quotas, nowMs);
  return {
    counted: { ...counted, limits, inventory: rows.inventory },
    differences: [...rows.differences, ...differences],
  };
}

/**
 * Compares the rows of each type separately, so that an unreadable row hides nothing in the set of another
 * type. A zone appears when no type had it and now a type has it. It disappears when no type has it any more.
 * Only zones of both requests are compared.
 */
function compareRows(
  before: QuotaInventory | null,
  { selection, rows }: QuotaSnapshot,
): { readonly differences: readonly Difference[]; readonly inventory: QuotaInventory | null } {
  if (rows.length === 0) return { differences: [], inventory: before };
  const typesBefore = new Map(before?.types.map((type) => [type.type, type]));
  const created = new Set<string>();
  const deleted = new Set<string>();
  const next = new Map<string, QuotaTypeInventory>();
  for (const { type, names, unidentified } of rows) {
    const comparison = compareInventories(typesBefore.get(type) ?? null, names, unidentified);
    next.set(type, inventoryOf(type, comparison.next));
    if (!zonalQuotaTypes.has(type)) continue;
    for (const name of comparison.created) created.add(name);
    for (const name of comparison.deleted) deleted.add(name);
  }
  const stays = before !== null && isSameSelection(before.selection, selection);
  const types = selection.quotaTypes.flatMap(
    (type) => next.get(type) ?? (stays ? typesBefore.get(type) : undefined) ?? [],
  );

  const zonesBefore = zonesOf([...typesBefore.values()]);
  const zonesAfter = zonesOf(types);
  const gone = [...deleted].filter(
    (zone) => !zonesAfter.has(zone) && isZoneSelected(selection, zone),
  );
  const come = [...created].filter(
    (zone) => !zonesBefore.has(zone) && before !== null && isZoneSelected(before.selection, zone),
  );
  return {
    differences: [
      ...gone.map((zone) => ({ kind: 'zone-disappeared' as const, zone, from: zone, to: null })),
      ...come.map((zone) => ({ kind: 'zone-appeared' as const, zone, from: null, to: zone })),
    ],
    // Unlike a list that has grown, its copy has no room for more.
    inventory: { selection, types: [...types] },
  };
}

/** Without `...`, which would give the object a second part in memory. */
function inventoryOf(
  type: QuotaTypeInventory['type'],
  { known, unidentified }: Inventory<string>,
): QuotaTypeInventory {
  return { type, known, unidentified };
}

/** The zones of the known rows, and the empty name of rows of the whole region. */
function zonesOf(types: readonly QuotaTypeInventory[]): ReadonlySet<string> {
  return new Set(types.flatMap(({ known }) => known));
}
