import { compareInventories, watchedNames } from '../../model/inventory.ts';
import type { Comparison } from '../collector.ts';
import type { LaunchTemplateListRecord, LaunchTemplateListSnapshot } from './record.ts';

/** Compares the templates of a region with the known ones. */
export function compareTemplateLists(
  record: LaunchTemplateListRecord,
  snapshot: LaunchTemplateListSnapshot,
): Comparison<LaunchTemplateListRecord> {
  const ids = snapshot.templates.map(({ id }) => id);
  const compared = compareInventories(record.inventory, ids, snapshot.unidentified);
  const { created, deleted, next } = compared;
  return {
    differences: [
      ...created.map((id) => ({ kind: 'template-created' as const, from: null, to: id })),
      ...deleted.map((id) => ({ kind: 'template-deleted' as const, from: id, to: null })),
    ],
    record: {
      ...record,
      snapshot,
      inventory: next,
      watched: watchedNames(record.watched, record.inventory, compared),
      templatesCreated: record.templatesCreated + created.length,
      templatesDeleted: record.templatesDeleted + deleted.length,
    },
  };
}
