/** Connections to Redis or Valkey, and whether they can be used. */
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { Redis, type RedisOptions } from 'ioredis';
import type { ClusterConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { unlessAborted } from '../model/unless-aborted.ts';
import { codeOf, messageOf } from '../model/errors.ts';

/** Maximum duration of one command, and of the connection. */
const commandTimeoutMs = 2_000;
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
        { tls: { ca: [...rootCertificates, ...own], rejectUnauthorized: true } }
      : {}),
    connectTimeout: commandTimeoutMs,
    reconnectOnError: whenReadOnly(),
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), maxReconnectDelayMs),
  };
}

/**
 * The connections of a daemon. The commands of `redis` fail at once while it is broken, and after 2 s without an answer.
 * `engine` is for the job engine: its commands wait for Redis, and are sent again.
 */
export function connect(options: RedisOptions, logger: Logger) {
  const redis = new Redis({
    ...options,
    commandTimeout: commandTimeoutMs,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  const engine = new Redis({ ...options, maxRetriesPerRequest: null });
  for (const each of [redis, engine]) {
    each.on('error', (error) => {
      logger.debug('connection to Redis', () => ({ reason: messageOf(error) }));
    });
  }
  redis.on('ready', () => void warnOfEviction(redis, logger));
  return { redis, engine };
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
  const silence = AbortSignal.timeout(commandTimeoutMs);
  await unlessAborted(redis.ping(), silence).catch(() => {
    redis.disconnect(true);
  });
}

/** Warns if Redis removes keys when its memory is full: a record would be lost with its counters. */
async function warnOfEviction(redis: Redis, logger: Logger): Promise<void> {
  const memory = await redis.info('memory').catch(() => '');
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(memory) ?? [];
  if (policy === 'noeviction') return;
  const message =
    'Redis may remove records when its memory is full; set maxmemory-policy to noeviction';
  logger.warn(message, { policy });
}

/** What the client says of a command that it did not send. */
const unconnected = /enableOfflineQueue|Connection is closed|max retries per request/;

const notAsked = 'Redis was not asked yet';

/** Whether Redis can be used. A full Redis, or a replica, answers what it is asked, and refuses what is written. */
export class RedisHealth {
  /** Why the cycles of this daemon end; `null` while Redis can be used. */
  problem: string | null = notAsked;
  readonly #address: string;
  readonly #logger: Logger;
  #connectionProblem = 'no connection';

  constructor(redis: Redis, logger: Logger) {
    const { host = '', port = '' } = redis.options;
    this.#address = `${host}:${port}`;
    this.#logger = logger;
    redis.on('error', (error) => {
      if (unconnected.test(messageOf(error))) return;
      this.#connectionProblem = `no connection: ${messageOf(error) || codeOf(error)}`;
    });
    redis.on('ready', () => {
      this.#connectionProblem = 'no connection';
    });
  }

  failed(error: unknown): void {
    const reason = `Redis at ${this.#address} cannot be used: ${this.#reasonOf(error)}`;
    if (this.problem === null || this.problem === notAsked) {
      this.#logger.error('the cycles of this daemon end', { reason });
    }
    this.problem = reason;
  }

  /** Redis was read and written. */
  worked(): void {
    if (this.problem !== null) this.#logger.info('Redis can be used');
    this.problem = null;
  }

  /** Why a command failed, in words that do not name the inside of the client. */
  #reasonOf(error: unknown): string {
    const message = messageOf(error);
    if (message.includes('timed out')) return `no answer within ${commandTimeoutMs / 1_000} s`;
    return unconnected.test(message) ? this.#connectionProblem : message;
  }
}
