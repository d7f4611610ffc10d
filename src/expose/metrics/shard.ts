/** One of several parts of the accounts, for more series than one scrape should have. */
import { crc32 } from 'node:zlib';

export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** Whether an account is in the part. Each account is in exactly one of `count` parts. */
export function isInShard(account: string, { count, index }: Shard): boolean {
  return crc32(account) % count === index;
}
