import type { Shard } from './shard.ts';

const maxShards = 1_000;

/** Reads a text such as `0/4`, the first of four parts; `null` for anything else. */
export function parseShard(text: string): Shard | null {
  const [, index, count] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index < shard.count && shard.count <= maxShards ? shard : null;
}
