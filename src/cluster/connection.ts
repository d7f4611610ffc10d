/**
 * The connections of a cluster to Redis or Valkey, and what the daemon says of them when they fail. `cluster.ts` opens and
 * closes them.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { Redis, type RedisOptions } from 'ioredis';
import type { ClusterConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { unlessAborted } from '../model/async.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import { StoreError } from '../storage/store-error.ts';

/** Maximum duration of one command, and of connecting. */
const commandTimeoutMs = 2_000;
const maxReconnectDelayMs = 1_000;

/**
 * The options of ioredis for every connection of a cluster. Reads the files of the password and of the certificates.
 *
 * @throws Error when the file with the password or the certificates cannot be read
 */
export async function connectionOptions(config: ClusterConfig): Promise<RedisOptions> {
  const { authorityFile, passwordFile, url, username } = config;
  const { hostname, pathname, port, protocol } = new URL(url);
  const password = passwordFile === null ? null : (await readFile(passwordFile, 'utf8')).trim();
  const authorities = authorityFile === null ? [] : [await readFile(authorityFile, 'utf8')];
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: Number(port || 6379),
    // A slash may follow the number.
    db: Number.parseInt(pathname.slice(1) || '0', 10),
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(protocol === 'rediss:'
      ? // `rejectUnauthorized` overrules NODE_TLS_REJECT_UNAUTHORIZED, which could turn the verification off.
        { tls: { ca: [...rootCertificates, ...authorities], rejectUnauthorized: true } }
      : {}),
    connectTimeout: commandTimeoutMs,
    // The commands of the job engine wait for Redis.
    maxRetriesPerRequest: null,
    reconnectOnError: createReadOnlyCheck(),
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), maxReconnectDelayMs),
  };
}

/**
 * Makes the function that says whether ioredis connects again after an error: when the server became a replica, because
 * after a failover the address leads to another server. At most once a second, for both connections together.
 */
function createReadOnlyCheck(): (error: Error) => boolean {
  let lastMs = -Infinity;
  return (error) => {
    if (!error.message.startsWith('READONLY')) return false;
    if (performance.now() - lastMs < maxReconnectDelayMs) return false;
    lastMs = performance.now();
    return true;
  };
}

/**
 * Ends a connection that does not answer within 2 s, so that ioredis opens another one. Never rejects. The
 * `socketTimeout` of ioredis is not used: its timer outlives the connection, and ends the next one.
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

/**
 * BullMQ and ioredis write warnings with `console.warn` and `console.error`, and have no option to change that. Nothing
 * else in the process uses the console, so both go to the log at level debug: the output of the daemon has only lines of
 * the log.
 *
 * @returns a function that restores the console
 */
function redirectConsole(logger: Logger): () => void {
  const { error, warn } = console;
  const log = (text: unknown) => {
    logger.debug('the job engine warns', () => ({ text: String(text) }));
  };
  Object.assign(console, { error: log, warn: log });
  return () => {
    Object.assign(console, { error, warn });
  };
}

/** The errors of ioredis for commands that it rejects while it has no connection. */
const notConnected = /enableOfflineQueue|Connection is closed|max retries per request/;

const notAskedYet = 'Redis was not asked yet';

/**
 * The two connections of a daemon, and why Redis cannot be used, in words of an operator. `cluster.ts` opens and closes
 * them; each part of the cluster that sends commands reports its failures here. Reading alone is not enough for a
 * success: a full Redis and a replica answer reads and refuse writes.
 */
export class RedisConnections {
  /** Its commands fail at once while it is broken, and after 2 s without an answer. */
  readonly redis: Redis;
  /** The connection of the job engine: its commands wait for Redis, and are sent again. */
  readonly engine: Redis;
  /** Why Redis cannot be used, so that the cycles of this daemon end; `null` while it can. Logged when that changes. */
  problem: string | null = notAskedYet;
  readonly #logger: Logger;
  readonly #onFatal: (error: StoreError) => void;
  /** Other parts of the process, such as those of a test, use the console when no cluster runs. */
  readonly #restoreConsole: () => void;
  #isFatal = false;
  /** Says why there is no connection: the last error of either one since `redis` was ready. */
  #connectionProblem = 'no connection';

  /**
   * @param options see {@link connectionOptions}
   * @param onFatal called once, with the first StoreError: this daemon must end
   */
  constructor(options: RedisOptions, logger: Logger, onFatal: (error: StoreError) => void) {
    this.#restoreConsole = redirectConsole(logger);
    this.engine = new Redis(options);
    this.redis = this.engine.duplicate({
      commandTimeout: commandTimeoutMs,
      enableOfflineQueue: false,
      enableAutoPipelining: true,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    });
    this.#logger = logger;
    this.#onFatal = onFatal;
    for (const connection of [this.redis, this.engine]) {
      connection.on('error', (error) => {
        logger.debug('connection to Redis', () => ({ reason: messageOf(error) }));
        if (notConnected.test(messageOf(error))) return;
        this.#connectionProblem = `no connection: ${messageOf(error) || codeOf(error)}`;
      });
    }
    this.redis.on('ready', () => {
      this.#connectionProblem = 'no connection';
      void warnOfEviction(this.redis, logger);
    });
  }

  /** Resolves when `redis` is connected, and after this time at the latest. ioredis goes on with its attempts. */
  async waitUntilReady(timeoutMs: number): Promise<void> {
    if (this.redis.status === 'ready') return;
    const ready = new Promise((resolve) => this.redis.once('ready', resolve));
    await Promise.race([ready, delay(timeoutMs, undefined, { ref: false })]);
  }

  /** Disconnects for good. Commands that fail from now on are not logged. */
  close(): void {
    this.problem = 'this daemon stops';
    this.redis.disconnect();
    this.engine.disconnect();
    this.#restoreConsole();
  }

  /** @param error what a command, or a part of the cluster that sends commands, threw */
  reportFailure(error: unknown): void {
    if (error instanceof StoreError) {
      if (!this.#isFatal) this.#onFatal(error);
      this.#isFatal = true;
      return;
    }
    const { host = '', port = '' } = this.redis.options;
    const reason = `Redis at ${host}:${port} cannot be used: ${this.#reasonOf(error)}`;
    if (this.problem === null || this.problem === notAskedYet) {
      this.#logger.error('the cycles of this daemon end', { reason });
    }
    this.problem = reason;
  }

  /** Called when Redis was both read and written. */
  reportSuccess(): void {
    if (this.problem !== null) this.#logger.info('Redis can be used');
    this.problem = null;
  }

  /** Replaces messages of ioredis about its own options by what happened. */
  #reasonOf(error: unknown): string {
    const message = messageOf(error);
    if (message.includes('timed out')) return `no answer within ${commandTimeoutMs / 1_000} s`;
    return notConnected.test(message) ? this.#connectionProblem : message;
  }
}
