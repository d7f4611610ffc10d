import { baselineInventory, compareInventories } from '../../model/inventory.ts';
import type { Comparison } from '../collector.ts';
import type { LaunchTemplateListRecord, LaunchTemplateListSnapshot } from './record.ts';

/** Compares the templates of a region with the known ones. */
export function compareTemplateLists(
  record: LaunchTemplateListRecord,
  snapshot: LaunchTemplateListSnapshot,
): Comparison<LaunchTemplateListRecord> {
  const ids = snapshot.templates.map(({ id }) => id);
  const { created, deleted, next } =
    record.inventory === null
      ? { created: [], deleted: [], next: baselineInventory(ids, snapshot.unidentified) }
      : compareInventories(record.inventory, ids, snapshot.unidentified);
  return {
    differences: [
      ...created.map((id) => ({ kind: 'template-created' as const, from: null, to: id })),
      ...deleted.map((id) => ({ kind: 'template-deleted' as const, from: id, to: null })),
    ],
    record: {
      ...record,
      snapshot,
      inventory: next,
      watched: watchedOf(record, next.known),
      templatesCreated: record.templatesCreated + created.length,
      templatesDeleted: record.templatesDeleted + deleted.length,
    },
  };
}

/** Watched templates stay. The others follow. */
function watchedOf(
  { watched }: LaunchTemplateListRecord,
  known: readonly string[],
): readonly string[] {
  const existing = new Set(known);
  const staying = watched.filter((id) => existing.has(id));
  return [...new Set([...staying, ...known])];
}
