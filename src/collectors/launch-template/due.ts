/** Decides whether the versions of a template are read, although the list of templates was read. */
import { isDeepStrictEqual } from 'node:util';
import { areInSamePeriod, hourMs } from '../../model/periods.ts';
import { targetKey } from '../../model/target.ts';
import type { LaunchTemplateRecord } from './record.ts';

/**
 * Whether the list cannot stand in for the versions: the template is new, its numbers in the list moved or are
 * unknown, the last answer failed or was incomplete, or the versions were not read in this hour.
 */
export function needsVersions(record: LaunchTemplateRecord, nowMs: number): boolean {
  const { freshness, readAs, snapshot, target } = record;
  const { listed = null } = target;
  if (listed === null || Object.values(listed).includes(null)) return true;
  if (!isDeepStrictEqual(readAs, listed)) return true;
  if (snapshot === null || snapshot.missing.length > 0) return true;
  const { failure, lastPoll } = freshness;
  if (lastPoll === null || failure !== null) return true;
  return !areInSamePeriod(targetKey(target), [lastPoll.atMs, nowMs], hourMs);
}
