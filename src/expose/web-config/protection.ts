/**
 * TLS, users and headers of the web server, as the file of `--web.config.file` says. Edits apply without a restart.
 * `commands/serve.ts` loads this file only with that flag.
 */
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
import { textAnswer, type Answer } from '../answers.ts';
import type { Comparison } from './bcrypt-worker.ts';
import { createPasswordCheck } from './passwords.ts';
import { readWebConfig, type WebConfig } from './web-config.ts';

export interface ProtectionOptions {
  /** The web configuration file. */
  readonly file: string;
  /** True: `/-/healthy` and `/-/ready` are answered without a user. */
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
 * Opens the web configuration. `serve` gives the result to the server, which asks it for a TLS server and for the answer
 * to each request.
 *
 * The files are read every `rereadMs`. `fs.watch` would miss secrets that are mounted: links replace them. Files that cannot
 * be used leave the last good ones in force.
 *
 * @throws InvalidFileError with every problem of the file
 * @throws HungCallError when a file does not answer in time
 */
export async function openWebProtection(options: ProtectionOptions) {
  const { clock, compare = compareInThread, file, fileCalls, isHealthOpen, logger } = options;
  const check = createPasswordCheck(compare);
  const servers: Server[] = [];
  const read = () => fileCalls.run('configuration', file, () => readWebConfig(file));
  let current = await read();
  /** When `current` came into force, and why the files of now are not; `null` if they are. */
  let last: LastReload = { successMs: clock.now(), problem: null };

  /**
   * Puts a configuration in force and returns `null`, or returns why it is refused: a mistake in the file must not switch TLS
   * off, or let everyone read.
   */
  const applyUnlessRefused = (config: WebConfig): string | null => {
    if (config.tls?.clientAuth !== current.tls?.clientAuth) {
      return `${file}: to switch TLS on or off, or to change client_auth_type, restart`;
    }
    if (config.users.size === 0 && current.users.size > 0) {
      return `${file}: names no user any more; to let everyone read, restart`;
    }
    // After a problem, the same configuration comes into force again, so that log and time say that the problem is over.
    if (last.problem === null && isDeepStrictEqual(config, current)) return null;
    if (config.tls !== null) {
      for (const server of servers) server.setSecureContext(config.tls.context);
    }
    current = config;
    last = { successMs: clock.now(), problem: null };
    logger.info('web configuration reloaded');
    return null;
  };
  const reread = async () => {
    const problem = await read().then(applyUnlessRefused, messageOf);
    // Once for each problem, not every `rereadMs`.
    if (problem !== null && problem !== last.problem) {
      const message = 'web configuration not reloaded; the one before stays in force';
      logger.error(message, { reason: problem });
    }
    last = { ...last, problem };
  };
  const timer = setInterval(() => void reread(), options.rereadMs ?? defaultRereadMs).unref();

  return {
    /** True: clients need a user and a password. A reload may change it to true, never to false. */
    hasUsers: () => current.users.size > 0,
    /** A server that reads HTTP behind TLS; reloads give it new certificates. `null` without TLS, which no reload switches on. */
    createServer: (serverOptions: ServerOptions): Server | null => {
      const { tls } = current;
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
    /** The headers of every answer. Those of the answer itself win. */
    headers: () => current.headers,
    /**
     * The answer to a client without a right login; `null` if the client may have its answer.
     *
     * @param path that below the prefix of the server. `null` for a path outside of it
     */
    rejectionOf: async (path: string | null, request: IncomingMessage): Promise<Answer | null> => {
      const { users } = current;
      if (users.size === 0 || (isHealthOpen && healthPaths.has(path ?? ''))) return null;
      const { authorization = '' } = request.headers;
      const login = basicAuth(new Request('http://localhost', { headers: { authorization } }));
      const address = request.socket.remoteAddress ?? '';
      const verdict = login ? await check(login, address, users) : 'wrong';
      if (verdict === 'right') return null;
      return verdict === 'busy'
        ? textAnswer(429, 'too many requests\n')
        : textAnswer(401, 'unauthorized\n', challenge);
    },
    /** For the metrics of reloads. */
    status: () => last,
    /** Reads the files no more. The servers stay open. */
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
