/** The daemons of a cluster. Each of them tells Redis from time to time that it is alive. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { jsonOf } from '../model/json.ts';
import { memberKeys } from './keys.ts';
import { listOf } from './script.ts';
import { heartbeatScript } from './scripts.ts';

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

/** This daemon is alive. Gives every daemon that was heard of within the time. */
export async function heartbeat(
  redis: Redis,
  cluster: string,
  { id, maxSilenceMs, ...about }: About & { readonly id: string; readonly maxSilenceMs: number },
): Promise<readonly Member[]> {
  const { heard, members } = memberKeys(cluster);
  const text = JSON.stringify(about);
  const answer =
    listOf(await heartbeatScript.run(redis, [heard, members], [id, text, maxSilenceMs])) ?? [];
  const found: Member[] = [];
  for (let i = 0; i < answer.length; i += 3) {
    const told = aboutSchema.safeParse(jsonOf(String(answer[i + 1])));
    if (told.success) {
      found.push({ ...told.data, id: String(answer[i]), silentMs: Number(answer[i + 2]) });
    }
  }
  return found.toSorted((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}

/** The time of Redis, in milliseconds since the Unix epoch. */
export async function redisTimeMs(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** This daemon ends. */
export async function leave(redis: Redis, cluster: string, id: string): Promise<void> {
  const { heard, members } = memberKeys(cluster);
  await redis.zrem(heard, id);
  await redis.hdel(members, id);
}
