import type { Difference } from './change.ts';
import { baselineInventory, compareInventories } from './inventory.ts';
import type { LaunchTemplateRecord } from './record.ts';
import type { LaunchTemplateSnapshot } from './snapshot.ts';

interface Comparison {
  readonly differences: readonly Difference[];
  /** What becomes of the record. */
  readonly counters: Pick<
    LaunchTemplateRecord,
    | 'inventory'
    | 'lastDefaultVersion'
    | 'defaultVersionChanges'
    | 'defaultVersionChangedAtMs'
    | 'versionsCreated'
    | 'versionsDeleted'
  >;
}

/**
 * Compares a template's versions with those known to exist. The default version is compared with the
 * last one that was known without doubt: an answer that names none, or several, says nothing about
 * which one is in force, so it neither counts a change nor hides the one that follows.
 */
export function compareVersions(
  record: LaunchTemplateRecord,
  { versions, unidentified, defaultVersion }: LaunchTemplateSnapshot,
  nowMs: number,
): Comparison {
  const {
    created,
    deleted,
    next: inventory,
  } = record.inventory === null
    ? { created: [], deleted: [], next: baselineInventory(versions, unidentified) }
    : compareInventories(record.inventory, versions, unidentified);

  const last = record.lastDefaultVersion;
  const current = defaultVersion?.version ?? last;
  const moved = last !== null && current !== last;

  return {
    differences: [
      ...created.map((version) => ({ kind: 'version-created' as const, from: null, to: version })),
      ...deleted.map((version) => ({ kind: 'version-deleted' as const, from: version, to: null })),
      ...(moved ? [{ kind: 'default-version-changed' as const, from: last, to: current }] : []),
    ],
    counters: {
      inventory,
      lastDefaultVersion: current,
      defaultVersionChanges: record.defaultVersionChanges + (moved ? 1 : 0),
      defaultVersionChangedAtMs: moved ? nowMs : record.defaultVersionChangedAtMs,
      versionsCreated: record.versionsCreated + created.length,
      versionsDeleted: record.versionsDeleted + deleted.length,
    },
  };
}
