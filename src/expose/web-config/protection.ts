/** Protects the web server as a web configuration file says, while the file changes. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { auth as basicAuth } from 'hono/utils/basic-auth';
import type { BoundedCalls } from '../../bounded-calls.ts';
import type { Logger } from '../../log.ts';
import type { Clock } from '../../model/clock.ts';
import { messageOf } from '../../model/errors.ts';
import type { LastReload } from '../../model/monitor-status.ts';
import { internalError, textAnswer, type Answer } from '../answers.ts';
import type { App } from '../app.ts';
import type { Comparison } from './bcrypt-worker.ts';
import { createPasswordCheck } from './passwords.ts';
import { readWebConfig, type WebConfig } from './web-config.ts';

export interface ProtectionOptions {
  /** The web configuration file. */
  readonly file: string;
  /** Whether `/-/healthy` and `/-/ready` are answered to everyone. */
  readonly isHealthOpen: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fileCalls: BoundedCalls;
  /** How often the files are read. Defaults to 2.5 s. */
  readonly rereadMs?: number;
  /** Compares a password with a bcrypt hash. Defaults to a thread. */
  readonly compare?: (password: string, hash: string) => Promise<boolean>;
}

const handshakeTimeoutMs = 10_000;
const defaultRereadMs = 2_500;
const challenge = { 'WWW-Authenticate': 'Basic realm="cvm-quota-monitor", charset="UTF-8"' };
const healthPaths = new Set(['/-/healthy', '/-/ready']);

export type WebProtection = Awaited<ReturnType<typeof openWebProtection>>;

/**
 * Applies the web configuration of a file to connections and requests.
 *
 * The files are read again and again. They are not watched: mounted secrets are replaced through links, and a
 * watch does not see that. Files that cannot be used leave the last good ones in force.
 *
 * @throws InvalidFileError with every problem of the file
 * @throws HungCallError when a file does not answer in time
 */
export async function openWebProtection(options: ProtectionOptions) {
  const { clock, compare, file, fileCalls, isHealthOpen, logger } = options;
  const { rereadMs = defaultRereadMs } = options;
  const check = createPasswordCheck(compare ?? compareInThread);
  const servers: Server[] = [];
  const read = () => fileCalls.run('configuration', file, () => readWebConfig(file));
  let present = await read();
  let last: LastReload = { successMs: clock.now(), problem: null };

  /** Returns why the configuration does not apply: what a mistake in the file must not do without a restart. */
  const apply = (config: WebConfig): string | null => {
    if (config.tls?.clientAuth !== present.tls?.clientAuth) {
      return `${file}: to switch TLS on or off, or to change client_auth_type, restart`;
    }
    if (config.users.size === 0 && present.users.size > 0) {
      return `${file}: names no user any more; to let everyone read, restart`;
    }
    if (last.problem === null && isDeepStrictEqual(config, present)) return null;
    if (config.tls !== null) {
      for (const server of servers) server.setSecureContext(config.tls.context);
    }
    present = config;
    last = { successMs: clock.now(), problem: null };
    logger.info('web configuration reloaded');
    return null;
  };
  const reread = async () => {
    const problem = await read().then(apply, messageOf);
    if (problem !== null && problem !== last.problem) {
      const message = 'web configuration not reloaded; the one before stays in force';
      logger.error(message, { reason: problem });
    }
    last = { ...last, problem };
  };
  const timer = setInterval(() => void reread(), rereadMs).unref();

  /** The answer to who may not have another one; `null` for who may. Never rejects. */
  const refusal = async (path: string, request: IncomingMessage): Promise<Answer | null> => {
    const { users } = present;
    if (users.size === 0 || (isHealthOpen && healthPaths.has(path))) return null;
    const { authorization = '' } = request.headers;
    const login = basicAuth(new Request('http://localhost', { headers: { authorization } }));
    const address = request.socket.remoteAddress ?? '';
    try {
      const verdict = login ? await check(login, address, users) : 'wrong';
      if (verdict === 'right') return null;
      return verdict === 'busy'
        ? textAnswer(429, 'too many requests\n')
        : textAnswer(401, 'unauthorized\n', challenge);
    } catch (err) {
      logger.error('request failed', { path, err });
      return internalError;
    }
  };

  return {
    /** Whether clients need a user and a password. */
    hasUsers: () => present.users.size > 0,
    /** A server that reads HTTP behind TLS; `null` without TLS, which never changes. */
    createServer: (serverOptions: ServerOptions): Server | null => {
      const { tls } = present;
      if (tls === null) return null;
      const server = createServer({
        ...serverOptions,
        ...tls.context,
        requestCert: tls.clientAuth === 'RequireAndVerifyClientCert',
        handshakeTimeout: handshakeTimeoutMs,
      });
      servers.push(server);
      return server;
    },
    /** Asks clients for a user, if there are users, and adds the configured headers to every answer. */
    protect:
      (app: App) =>
      async (path: string, query: string, request: IncomingMessage): Promise<Answer> => {
        const { headers } = present;
        const answer = (await refusal(path, request)) ?? (await app(path, query, request));
        return { ...answer, headers: { ...headers, ...answer.headers } };
      },
    status: () => last,
    close: () => {
      clearInterval(timer);
    },
  };
}

/**
 * Compares a password with a bcrypt hash on a thread of its own, which takes some 50 ms longer. The threads of Node.js
 * must stay free: storage, host names and compression need them. Rejects if the thread fails.
 */
async function compareInThread(password: string, hash: string): Promise<boolean> {
  const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };
  const file = new URL('./bcrypt-worker.js', import.meta.url);
  const worker = new Worker(file, { resourceLimits });
  worker.unref();
  worker.postMessage({ password, hash } satisfies Comparison);
  return (await once(worker, 'message')).at(0) === true;
}
