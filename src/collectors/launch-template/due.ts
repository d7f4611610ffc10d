/** Decides whether the versions of a template are read, although the list of templates was read. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { targetKey } from '../../model/target.ts';
import type { LaunchTemplateRecord } from './record.ts';

const hourMs = 3_600_000;

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
  if (freshness.lastPoll === null || freshness.failure !== null) return true;
  const startMs = startOfHourMs(targetKey(target));
  const hourOf = (atMs: number) => Math.floor((atMs - startMs) / hourMs);
  return hourOf(freshness.lastPoll.atMs) !== hourOf(nowMs);
}

/** Spreads the hours of targets evenly: each begins at another minute. */
function startOfHourMs(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE() % hourMs;
}
