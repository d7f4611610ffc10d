/** Removes the records of targets that are gone. */
import type { Redis } from 'ioredis';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Target } from '../model/target.ts';
import { parseRecord } from '../state/record-file.ts';
import { goneAfterMs } from '../state/record-keeper.ts';
import { accountKeys } from './keys.ts';
import { removeScript } from './scripts.ts';
import { storedAccounts } from './stored-accounts.ts';

export interface GoneRecordsOptions {
  readonly redis: Redis;
  /** The name of the cluster. */
  readonly cluster: string;
  readonly collectors: CollectorSet;
  readonly isLive: (target: Target) => boolean;
}

/** @returns the keys of the targets */
export async function removeGoneRecords(options: GoneRecordsOptions): Promise<readonly string[]> {
  const { cluster, redis } = options;
  const beforeMs = Date.now() - goneAfterMs;
  const removed: string[] = [];
  for (const account of await storedAccounts(redis, cluster)) {
    removed.push(...(await removeOld(account, beforeMs, options)));
  }
  return removed;
}

async function removeOld(
  account: string,
  beforeMs: number,
  { cluster, collectors, isLive, redis }: GoneRecordsOptions,
): Promise<string[]> {
  const { records, revisions, written } = accountKeys(cluster, account);
  const removed: string[] = [];
  for (const key of await redis.zrangebyscore(written, '-inf', beforeMs)) {
    const target = targetOf((await redis.hget(records, key)) ?? '', collectors);
    if (target === null || isLive(target)) continue;
    const result = await removeScript.run(redis, [records, revisions, written], [key, beforeMs]);
    if (result === 1) removed.push(key);
  }
  return removed;
}

/** `null` for a text that holds no record. It stays, for a person to look at. */
function targetOf(text: string, collectors: CollectorSet): Target | null {
  try {
    return parseRecord(text, collectors).target;
  } catch {
    return null;
  }
}
