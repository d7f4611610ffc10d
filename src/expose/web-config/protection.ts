/** Protects the web server as a web configuration file says, while the file changes. */
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { auth as basicAuth } from 'hono/utils/basic-auth';
import { internalError, textAnswer, type Answer } from '../answers.ts';
import type { App } from '../app.ts';
import type { LastReload } from '../metrics/status-families.ts';
import type { BoundedCalls } from '../../files/bounded-calls.ts';
import type { Logger } from '../../log.ts';
import type { Clock } from '../../model/clock.ts';
import { messageOf } from '../../model/errors.ts';
import { compareInThread } from './bcrypt.ts';
import { Passwords } from './passwords.ts';
import { readWebConfig, type WebConfig } from './web-config.ts';

export interface ProtectionOptions {
  /** The web configuration file. */
  readonly file: string;
  /** Whether `/-/healthy` and `/-/ready` are answered to everyone. */
  readonly isHealthOpen: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: BoundedCalls;
  /** How often the files are read. Defaults to 2.5 s. */
  readonly rereadMs?: number;
  /** Compares a password with a bcrypt hash. Defaults to a thread. */
  readonly compare?: (password: string, hash: string) => Promise<boolean>;
}

const handshakeTimeoutMs = 10_000;
const defaultRereadMs = 2_500;
const challenge = {
  'WWW-Authenticate': 'Basic realm="cvm-quota-monitor", charset="UTF-8"',
};
const healthPaths = new Set(['/-/healthy', '/-/ready']);

/**
 * Applies the web configuration of a file to connections and requests.
 *
 * The files are read again and again. They are not watched: mounted secrets are replaced through links, and a
 * watch does not see that. Files that cannot be used leave the last good ones in force.
 */
export class WebProtection {
  readonly #options: ProtectionOptions;
  readonly #passwords: Passwords;
  readonly #servers: Server[] = [];
  readonly #timer: NodeJS.Timeout;
  #present: WebConfig;
  #last: LastReload;

  private constructor(options: ProtectionOptions, config: WebConfig) {
    const { clock, compare = compareInThread, rereadMs = defaultRereadMs } = options;
    this.#options = options;
    this.#passwords = new Passwords(compare);
    this.#present = config;
    this.#last = { successMs: clock.now(), problem: null };
    this.#timer = setInterval(() => void this.#reread(), rereadMs).unref();
  }

  /**
   * @throws InvalidFileError with every problem of the file
   * @throws HungCallError when a file does not answer in time
   */
  static async open(options: ProtectionOptions): Promise<WebProtection> {
    return new WebProtection(options, await read(options));
  }

  /** Whether connections begin with a handshake. Never changes. */
  get isTls(): boolean {
    return this.#present.tls !== null;
  }

  /** Whether clients need a user and a password. */
  get hasUsers(): boolean {
    return this.#present.users.size > 0;
  }

  /** A server that reads HTTP behind TLS; `null` without TLS. */
  createServer(options: ServerOptions): Server | null {
    const { tls } = this.#present;
    if (tls === null) return null;
    const server = createServer({
      ...options,
      ...tls.context,
      requestCert: tls.clientAuth === 'RequireAndVerifyClientCert',
      handshakeTimeout: handshakeTimeoutMs,
    });
    this.#servers.push(server);
    return server;
  }

  /** Asks clients for a user, if there are users, and adds the configured headers to every answer. */
  protect(app: App) {
    return async (path: string, query: string, request: IncomingMessage): Promise<Answer> => {
      const { headers } = this.#present;
      const answer = (await this.#refusal(path, request)) ?? (await app(path, query, request));
      return { ...answer, headers: { ...headers, ...answer.headers } };
    };
  }

  status(): LastReload {
    return this.#last;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The answer to who may not have another one; `null` for who may. Never rejects. */
  async #refusal(path: string, { headers, socket }: IncomingMessage): Promise<Answer | null> {
    const { users } = this.#present;
    if (users.size === 0 || (this.#options.isHealthOpen && healthPaths.has(path))) return null;
    const { authorization = '' } = headers;
    const login = basicAuth(new Request('http://localhost', { headers: { authorization } }));
    const address = socket.remoteAddress ?? '';
    try {
      const verdict = login ? await this.#passwords.check(login, address, users) : 'wrong';
      if (verdict === 'right') return null;
      return verdict === 'busy'
        ? textAnswer(429, 'too many requests\n')
        : textAnswer(401, 'unauthorized\n', challenge);
    } catch (err) {
      this.#options.logger.error('request failed', { path, err });
      return internalError;
    }
  }

  async #reread(): Promise<void> {
    const problem = await read(this.#options).then((config) => this.#apply(config), messageOf);
    if (problem !== null && problem !== this.#last.problem) {
      const message = 'web configuration not reloaded; the one before stays in force';
      this.#options.logger.error(message, { reason: problem });
    }
    this.#last = { ...this.#last, problem };
  }

  /** Returns why the configuration does not apply: what a mistake in the file must not do without a restart. */
  #apply(config: WebConfig): string | null {
    const { clock, file, logger } = this.#options;
    const present = this.#present;
    if (config.tls?.clientAuth !== present.tls?.clientAuth) {
      return `${file}: to switch TLS on or off, or to change client_auth_type, restart`;
    }
    if (config.users.size === 0 && present.users.size > 0) {
      return `${file}: names no user any more; to let everyone read, restart`;
    }
    if (this.#last.problem === null && isDeepStrictEqual(config, present)) return null;
    if (config.tls !== null) {
      for (const server of this.#servers) server.setSecureContext(config.tls.context);
    }
    this.#present = config;
    this.#last = { successMs: clock.now(), problem: null };
    logger.info('web configuration reloaded');
    return null;
  }
}

function read({ calls, file }: ProtectionOptions): Promise<WebConfig> {
  return calls.run('configuration', file, () => readWebConfig(file));
}
