import { compareInventories, type Inventory } from '../../model/inventory.ts';
import type { Comparison } from '../collector.ts';
import type { LaunchTemplateListRecord, LaunchTemplateListSnapshot } from './record.ts';

/** Compares the templates of a region with the known ones. */
export function compareTemplateLists(
  record: LaunchTemplateListRecord,
  snapshot: LaunchTemplateListSnapshot,
): Comparison<LaunchTemplateListRecord> {
  const ids = snapshot.templates.map(({ id }) => id);
  const { created, deleted, next, unclear } = compareInventories(
    record.inventory,
    ids,
    snapshot.unidentified,
  );
  return {
    differences: [
      ...created.map((id) => ({ kind: 'template-created' as const, from: null, to: id })),
      ...deleted.map((id) => ({ kind: 'template-deleted' as const, from: id, to: null })),
    ],
    record: {
      ...record,
      snapshot,
      inventory: next,
      watched: watchedOf(record, next, unclear),
      templatesCreated: record.templatesCreated + created.length,
      templatesDeleted: record.templatesDeleted + deleted.length,
    },
  };
}

/**
 * Watched templates stay, and the others follow. A template that may be in a row without a readable ID stays too,
 * also if it may be the one that was deleted. It is watched, but not known.
 */
function watchedOf(
  { inventory, watched }: LaunchTemplateListRecord,
  { known, unidentified }: Inventory<string>,
  unclear: readonly string[],
): readonly string[] {
  const staying = new Set([...known, ...unclear]);
  const knownBefore = new Set(inventory?.known ?? watched);
  const mayExist = (id: string) => unidentified > 0 && !knownBefore.has(id);
  return [...new Set([...watched.filter((id) => staying.has(id) || mayExist(id)), ...known])];
}
