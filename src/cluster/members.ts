/** The heartbeats with which the daemons of a cluster know of each other. `cluster.ts` sends them. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ClusterConfig, Config } from '../config/config.ts';
import type { ClusterMember } from '../model/cluster-status.ts';
import { parseJson } from '../model/json.ts';
import { clusterKeys } from './keys.ts';

/** A heartbeat, as Redis has it. */
const heartbeatSchema = z.object({
  /** The host and the process of the daemon, for people. */
  name: z.string(),
  /** The hash of its configuration, to find daemons that differ. */
  configuration: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
  /** By the clock of Redis. */
  sentAtMs: z.number(),
});

/** What a heartbeat says about its daemon, but for when it was sent. */
export type MemberInfo = Omit<z.output<typeof heartbeatSchema>, 'sentAtMs'>;

/**
 * Hashes a configuration: 12 hexadecimal digits, the same for the same content in another order of keys. Status page and
 * metrics show it, so that differing daemons are found. It reveals no secret.
 */
export function configurationHash(config: Config): string {
  /** The names of all keys, at any depth. */
  const keys = new Set<string>();
  JSON.stringify(config, (key, value: unknown) => {
    keys.add(key);
    return value;
  });
  // The second argument selects keys, and `stringify` follows its order in every object.
  const text = JSON.stringify(config, [...keys].toSorted());
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** A heartbeat of a moment ago may be this far in the future, if the clock of Redis was set back a little. */
const maxFutureMs = 2_000;

/**
 * Writes the heartbeat of this daemon, reads those of all members, and removes each that is older than the lock or damaged.
 * The cluster calls it three times in the time of the lock.
 *
 * @param id random: a restarted daemon has another one
 * @returns every member by name, and the time of Redis
 * @throws Error when Redis cannot be read or written
 */
export async function sendHeartbeat(
  redis: Redis,
  { lockMs, name: cluster }: Pick<ClusterConfig, 'lockMs' | 'name'>,
  id: string,
  info: MemberInfo,
) {
  const key = clusterKeys(cluster).members;
  const [seconds, microseconds] = await redis.time();
  const redisMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  await redis.hset(key, id, JSON.stringify({ ...info, sentAtMs: redisMs }));
  const members: ClusterMember[] = [];
  for (const [memberId, text] of Object.entries(await redis.hgetall(key))) {
    const parsed = heartbeatSchema.safeParse(parseJson(text));
    const silentMs = redisMs - (parsed.data?.sentAtMs ?? 0);
    // A time in the future was written while the clock of Redis was ahead.
    if (parsed.success && silentMs <= lockMs && silentMs > -maxFutureMs) {
      const isThis = memberId === id;
      members.push({ ...parsed.data, id: memberId, silentMs: Math.max(0, silentMs), isThis });
    } else {
      await redis.hdel(key, memberId);
    }
  }
  members.sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
  return { redisMs, members };
}
