/** The record and the snapshot of the regions of an account. */
import type { Inventory } from '../../model/inventory.ts';
import { newCounted, newSeen, type Counted, type TargetRecord } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { RegionListTarget } from './target.ts';

/** The last answer of the service about the regions of an account. */
export interface RegionListSnapshot extends Snapshot {
  readonly kind: 'region-list';
  /** The available regions, in the order of the answer, without duplicates. */
  readonly regions: readonly string[];
  /** The number of rows that may be an available region, but cannot be read. */
  readonly unidentified: number;
}

export interface RegionListCounted extends Counted {
  /** The regions that are known to be available. `null` before the first success. */
  readonly inventory: Inventory<string> | null;
  /** Other regions that may be available, because a row that cannot be read may be theirs. */
  readonly unclear: readonly string[];
}

export interface RegionListRecord extends TargetRecord<RegionListCounted, RegionListSnapshot> {
  readonly kind: 'region-list';
  readonly target: RegionListTarget;
}

export function newRegionListRecord(target: RegionListTarget): RegionListRecord {
  return {
    kind: 'region-list',
    target,
    counted: { ...newCounted, inventory: null, unclear: [] },
    seen: newSeen,
  };
}

/** The regions to watch, ascending. */
export function watchedRegions({
  inventory,
  unclear,
}: Pick<RegionListCounted, 'inventory' | 'unclear'>): readonly string[] {
  return [...(inventory?.known ?? []), ...unclear].toSorted();
}
