import { compareInventories } from '../../model/inventory.ts';
import type { Comparison } from '../collector.ts';
import type { LaunchTemplateRecord, LaunchTemplateSnapshot } from './record.ts';

/**
 * Compares the versions of a template with the known versions. The default version is compared with the last
 * one that was certain. An answer with no default, or with several, does not say which one is used. It counts
 * no change, and it does not hide a later change.
 */
export function compareVersions(
  record: LaunchTemplateRecord,
  snapshot: LaunchTemplateSnapshot,
  nowMs: number,
): Comparison<LaunchTemplateRecord> {
  const { versions, unidentified, defaultVersion } = snapshot;
  const {
    created,
    deleted,
    next: inventory,
  } = compareInventories(record.inventory, versions, unidentified);

  const last = record.lastDefaultVersion;
  const current = defaultVersion?.version ?? last;
  const moved = last !== null && current !== last;

  return {
    differences: [
      ...created.map((version) => ({ kind: 'version-created' as const, from: null, to: version })),
      ...deleted.map((version) => ({ kind: 'version-deleted' as const, from: version, to: null })),
      ...(moved ? [{ kind: 'default-version-changed' as const, from: last, to: current }] : []),
    ],
    record: {
      ...record,
      snapshot,
      inventory,
      lastDefaultVersion: current,
      defaultVersionChanges: record.defaultVersionChanges + (moved ? 1 : 0),
      defaultVersionChangedAtMs: moved ? nowMs : record.defaultVersionChangedAtMs,
      versionsCreated: record.versionsCreated + created.length,
      versionsDeleted: record.versionsDeleted + deleted.length,
      readAs: record.target.listed ?? null,
    },
  };
}
