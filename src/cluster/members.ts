/** The daemons of a cluster. Each of them tells Redis from time to time that it is alive. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { parseJson } from '../model/json.ts';
import { clusterKeys } from './keys.ts';

const heartbeatSchema = z.object({
  /** The host and the process of the daemon, for people. */
  name: z.string(),
  configuration: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
  /** By the clock of Redis. */
  toldAtMs: z.number(),
});

/** What a daemon tells the others about itself. */
export type About = Omit<z.output<typeof heartbeatSchema>, 'toldAtMs'>;

export interface Member extends About {
  /** Of this process of the daemon. */
  readonly id: string;
  readonly silentMs: number;
}

/** Identifies the content of a configuration, whatever the order of its keys. It contains no secret. */
export function configurationHash(config: Config): string {
  const keys = new Set<string>();
  JSON.stringify(config, (key, value: unknown) => {
    keys.add(key);
    return value;
  });
  // A list of keys gives their order too.
  const text = JSON.stringify(config, [...keys].toSorted());
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** How far in the future a time may lie that was written a moment ago. */
const toleranceMs = 2_000;

/**
 * This daemon is alive. Daemons that were silent for too long are members no more.
 *
 * @returns every member, and the time of Redis
 */
export async function heartbeat(
  redis: Redis,
  cluster: string,
  { id, maxSilenceMs, ...about }: About & { readonly id: string; readonly maxSilenceMs: number },
): Promise<{ readonly redisMs: number; readonly members: readonly Member[] }> {
  const key = clusterKeys(cluster).members;
  const [seconds, microseconds] = await redis.time();
  const redisMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  await redis.hset(key, id, JSON.stringify({ ...about, toldAtMs: redisMs }));
  const members: Member[] = [];
  for (const [each, text] of Object.entries(await redis.hgetall(key))) {
    const told = heartbeatSchema.safeParse(parseJson(text));
    const silentMs = redisMs - (told.data?.toldAtMs ?? 0);
    // A time in the future was written while the clock of Redis was ahead.
    if (told.success && silentMs <= maxSilenceMs && silentMs > -toleranceMs) {
      members.push({ ...told.data, id: each, silentMs: Math.max(0, silentMs) });
    } else {
      await redis.hdel(key, each);
    }
  }
  const byName = (a: Member, b: Member) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1);
  return { redisMs, members: members.toSorted(byName) };
}
