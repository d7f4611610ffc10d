/** The daemons of a cluster. Each of them tells Redis from time to time that it is alive. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { jsonOf } from '../model/json.ts';
import { clusterKeys } from './keys.ts';
import { heartbeatScript, listOf } from './scripts.ts';

const aboutSchema = z.object({
  name: z.string(),
  configuration: z.string(),
  version: z.string(),
  startedAtMs: z.number(),
});

/** What a daemon tells the others about itself. */
export interface About extends z.output<typeof aboutSchema> {
  /** Its host and process, for people. */
  readonly name: string;
}

export interface Member extends About {
  /** Of this process of the daemon. */
  readonly id: string;
  readonly silentMs: number;
}

/** Identifies the content of a configuration, whatever the order of its keys. It contains no secret. */
export function configurationHash(config: Config): string {
  const text = JSON.stringify(config, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(byKey)) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

/**
 * This daemon is alive.
 *
 * @returns every daemon that was heard of within the time, and the time of Redis
 */
export async function heartbeat(
  redis: Redis,
  cluster: string,
  { id, maxSilenceMs, ...about }: About & { readonly id: string; readonly maxSilenceMs: number },
): Promise<{ readonly redisMs: number; readonly members: readonly Member[] }> {
  const { heard, members } = clusterKeys(cluster);
  const text = JSON.stringify(about);
  const [redisMs, ...answer] = listOf(
    await heartbeatScript.run(redis, [heard, members], [id, text, maxSilenceMs]),
  );
  const found: Member[] = [];
  for (let i = 0; i < answer.length; i += 3) {
    const told = aboutSchema.safeParse(jsonOf(String(answer[i + 1])));
    if (told.success) {
      found.push({ ...told.data, id: String(answer[i]), silentMs: Number(answer[i + 2]) });
    }
  }
  const byName = (a: Member, b: Member) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1);
  return { redisMs: Number(redisMs), members: found.toSorted(byName) };
}

/** This daemon ends. */
export async function leave(redis: Redis, cluster: string, id: string): Promise<void> {
  const { heard, members } = clusterKeys(cluster);
  await redis.zrem(heard, id);
  await redis.hdel(members, id);
}
