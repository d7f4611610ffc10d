/** Decides whether the versions of a template are read, although the list of templates was read. */
import { isDeepStrictEqual } from 'node:util';
import { areInSamePeriod, hourMs } from '../../model/periods.ts';
import { targetKey } from '../../model/target.ts';
import type { LaunchTemplateRecord, LaunchTemplateSnapshot } from './record.ts';
import type { ListedTemplate } from './target.ts';

/**
 * Whether the list cannot stand in for the versions: the template is new, its numbers in the list moved or are
 * unknown, the versions say something else, the last answer failed or was incomplete, or the versions were not
 * read in this hour.
 */
export function needsVersions(record: LaunchTemplateRecord, nowMs: number): boolean {
  const { counted, seen, target } = record;
  const { freshness, snapshot } = seen;
  const { listed = null } = target;
  if (listed === null || Object.values(listed).includes(null)) return true;
  if (!isDeepStrictEqual(counted.readAs, listed)) return true;
  if (snapshot === null || snapshot.missing.length > 0) return true;
  if (isNewerThan(snapshot, listed)) return true;
  const { failure, lastPoll } = freshness;
  if (lastPoll === null || failure !== null) return true;
  return !areInSamePeriod(targetKey(target), [lastPoll.atMs, nowMs], hourMs);
}

/**
 * Whether the versions changed after the list was read and before they were read. The change can be taken back
 * before the next list, which then says the same as this one. A lower latest version is no sign of that: the
 * service may count deleted versions.
 */
function isNewerThan(
  { defaultVersion, versions }: LaunchTemplateSnapshot,
  listed: ListedTemplate,
): boolean {
  return (
    defaultVersion?.version !== listed.defaultVersion ||
    (versions.at(-1) ?? 0) > (listed.latestVersion ?? 0)
  );
}
