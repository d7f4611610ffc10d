import { compareInventories, watchedNames } from '../../model/inventory.ts';
import type { Comparison } from '../../model/advance.ts';
import type {
  LaunchTemplateListCounted,
  LaunchTemplateListRecord,
  LaunchTemplateListSnapshot,
} from './record.ts';

/** Compares the templates of a region with the known ones. */
export function compareTemplateLists(
  { counted }: LaunchTemplateListRecord,
  snapshot: LaunchTemplateListSnapshot,
): Comparison<LaunchTemplateListCounted> {
  const ids = snapshot.templates.map(({ id }) => id);
  const compared = compareInventories(counted.inventory, ids, snapshot.unidentified);
  const { created, deleted, next } = compared;
  return {
    differences: [
      ...created.map((id) => ({ kind: 'template-created' as const, from: null, to: id })),
      ...deleted.map((id) => ({ kind: 'template-deleted' as const, from: id, to: null })),
    ],
    counted: {
      ...counted,
      inventory: next,
      watched: watchedNames(counted.watched, counted.inventory, compared),
      templatesCreated: counted.templatesCreated + created.length,
      templatesDeleted: counted.templatesDeleted + deleted.length,
    },
  };
}
