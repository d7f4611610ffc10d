/** Connections to Redis or Valkey. */
import { Redis, type RedisOptions } from 'ioredis';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import type { ClusterConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';

/** Maximum duration of one command, and of the connection. */
export const commandTimeoutMs = 2_000;
const maxReconnectDelayMs = 1_000;

/**
 * The options of every connection of a cluster.
 *
 * @throws Error when the file with the password or the certificates cannot be read
 */
export async function connectionOptions(config: ClusterConfig): Promise<RedisOptions> {
  const { authorityFile, passwordFile, url, username } = config;
  const { hostname, pathname, port, protocol } = new URL(url);
  const password = passwordFile === null ? null : (await readFile(passwordFile, 'utf8')).trim();
  const own = authorityFile === null ? [] : [await readFile(authorityFile, 'utf8')];
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: Number(port || 6379),
    db: Number(pathname.slice(1) || 0),
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(protocol === 'rediss:'
      ? // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn the verification off.
        { tls: { ca: [...rootCertificates, ...own], servername: host, rejectUnauthorized: true } }
      : {}),
    connectTimeout: commandTimeoutMs,
    reconnectOnError: whenReadOnly(),
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), maxReconnectDelayMs),
  };
}

/** A connection whose commands fail at once while it is broken, and after 2 s without an answer. */
export function failFastConnection(options: RedisOptions): Redis {
  return new Redis({
    ...options,
    commandTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
}

/** The connection of the job engine, whose commands wait for Redis, and are sent again. */
export function engineConnection(options: RedisOptions): Redis {
  return new Redis({ ...options, maxRetriesPerRequest: null });
}

/** After a failover, the address leads to another server. One of the connections opens again, at most once a second. */
function whenReadOnly(): (error: Error) => boolean {
  let lastMs = -Infinity;
  return (error) => {
    if (!error.message.startsWith('READONLY')) return false;
    if (performance.now() - lastMs < maxReconnectDelayMs) return false;
    lastMs = performance.now();
    return true;
  };
}

/**
 * Ends a connection that does not answer, so that the client opens another one. The client's own limit of silence
 * is not used: its timer outlives the connection, and ends the next one.
 */
export async function replaceIfDead(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return;
  const isDead = await Promise.race([
    redis.ping().then(
      () => false,
      () => true,
    ),
    delay(commandTimeoutMs, true, { ref: false }),
  ]);
  if (isDead) redis.disconnect(true);
}

/** Warns if Redis removes keys when its memory is full: a record would be lost with its counters. */
export async function warnOfEviction(redis: Redis, logger: Logger): Promise<void> {
  const memory = await redis.info('memory').catch(() => '');
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(memory) ?? [];
  if (policy === 'noeviction') return;
  logger.warn(
    'Redis may remove records when its memory is full; set maxmemory-policy to noeviction',
    {
      policy,
    },
  );
}
