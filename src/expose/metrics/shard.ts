/** Shards: parts of the accounts, for more series than one scrape should have. `--web.shard` chooses one. */
import { crc32 } from 'node:zlib';

export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** Each account is in exactly one of `count` shards, whatever other accounts there are. `undefined`: always true. */
export function isInShard(account: string, shard: Shard | undefined): boolean {
  return shard === undefined || crc32(account) % shard.count === shard.index;
}

const maxShards = 1_000;

/** Reads a text such as `0/4`, the first of four shards; `null` for anything else. At most 1,000 shards. */
export function parseShard(text: string): Shard | null {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index < shard.count && shard.count <= maxShards ? shard : null;
}
