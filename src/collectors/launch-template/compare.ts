import type { Comparison } from '../collector.ts';
import type { LaunchTemplateRecord, LaunchTemplateSnapshot } from './record.ts';

/**
 * Compares a template's versions with the snapshot before. The default version is compared with the
 * last one that was known without doubt: an answer that names none, or several, says nothing about
 * which one is in force, so it neither counts a change nor hides the one that follows.
 */
export function compareVersions(
  record: LaunchTemplateRecord,
  snapshot: LaunchTemplateSnapshot,
  nowMs: number,
): Comparison<LaunchTemplateRecord> {
  const before = new Set(record.snapshot?.versions ?? snapshot.versions);
  const after = new Set(snapshot.versions);
  const created = snapshot.versions.filter((version) => !before.has(version));
  const deleted = [...before].filter((version) => !after.has(version));

  const last = record.lastDefaultVersion;
  const current = snapshot.defaultVersion?.version ?? last;
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
      lastDefaultVersion: current,
      defaultVersionChanges: record.defaultVersionChanges + (moved ? 1 : 0),
      defaultVersionChangedAtMs: moved ? nowMs : record.defaultVersionChangedAtMs,
      versionsCreated: record.versionsCreated + created.length,
      versionsDeleted: record.versionsDeleted + deleted.length,
    },
  };
}
