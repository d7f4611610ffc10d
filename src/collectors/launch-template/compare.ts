import { compareInventories } from '../../model/inventory.ts';
import type { Comparison } from '../../model/advance.ts';
import type {
  LaunchTemplateCounted,
  LaunchTemplateRecord,
  LaunchTemplateSnapshot,
} from './record.ts';

/**
 * Compares the versions of a template with the known versions. The default version is compared with the last
 * one that was certain. An answer with no default, or with several, does not say which one is used. It counts
 * no change, and it does not hide a later change.
 */
export function compareVersions(
  { counted, target }: LaunchTemplateRecord,
  snapshot: LaunchTemplateSnapshot,
  nowMs: number,
): Comparison<LaunchTemplateCounted> {
  const { versions, unidentified, defaultVersion } = snapshot;
  const {
    created,
    deleted,
    next: inventory,
  } = compareInventories(counted.inventory, versions, unidentified);

  const last = counted.lastDefaultVersion;
  const current = defaultVersion?.version ?? last;
  const moved = last !== null && current !== last;

  return {
    differences: [
      ...created.map((version) => ({ kind: 'version-created' as const, from: null, to: version })),
      ...deleted.map((version) => ({ kind: 'version-deleted' as const, from: version, to: null })),
      ...(moved ? [{ kind: 'default-version-changed' as const, from: last, to: current }] : []),
    ],
    counted: {
      ...counted,
      inventory,
      lastDefaultVersion: current,
      defaultVersionChanges: counted.defaultVersionChanges + (moved ? 1 : 0),
      defaultVersionChangedAtMs: moved ? nowMs : counted.defaultVersionChangedAtMs,
      versionsCreated: counted.versionsCreated + created.length,
      versionsDeleted: counted.versionsDeleted + deleted.length,
      readAs: target.listed ?? null,
    },
  };
}
