/** Connections to Redis or Valkey. */
import { Redis, type RedisOptions } from 'ioredis';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import type { ClusterConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { codeOf, messageOf } from '../model/errors.ts';

/** Maximum duration of one command, and of the connection. */
const commandTimeoutMs = 2_000;
const maxReconnectDelayMs = 1_000;
/** The engine waits for a job for up to 10 s. A longer silence means that the connection is dead. */
const maxEngineSilenceMs = 15_000;

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
    // After a failover, the address leads to another server.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), maxReconnectDelayMs),
  };
}

/** A connection whose commands fail at once while it is broken, and after 2 s without an answer. */
export function failFastConnection(options: RedisOptions): Redis {
  return new Redis({
    ...options,
    commandTimeout: commandTimeoutMs,
    socketTimeout: 3 * commandTimeoutMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
}

/** The connection of the job engine, whose commands wait for Redis, and are sent again after a silence. */
export function engineConnection(options: RedisOptions): Redis {
  return new Redis({ ...options, socketTimeout: maxEngineSilenceMs, maxRetriesPerRequest: null });
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

/** Why the commands of a connection fail. The client says of a broken one only which options it has. */
export class CommandProblems {
  #connection = 'no connection';

  constructor(redis: Redis) {
    redis.on('error', (error) => {
      this.#connection = `no connection: ${messageOf(error) || codeOf(error)}`;
    });
    redis.on('ready', () => {
      this.#connection = 'no connection';
    });
  }

  /** Why there is no connection. */
  get connection(): string {
    return this.#connection;
  }

  of(error: unknown): string {
    const message = messageOf(error);
    return message.includes('enableOfflineQueue') ? this.#connection : message;
  }
}
