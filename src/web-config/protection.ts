/** Protects the web server as a web configuration file says. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { commonHeaders, internalErrorText, textHeaders } from '../expose/web/answers.ts';
import type { WebConfigStatus } from '../expose/metrics/monitor-metrics.ts';
import type { Protection } from '../expose/web/protection.ts';
import { Bcrypt } from './bcrypt.ts';
import { Handshakes } from './handshakes.ts';
import { TokenBucket } from './token-bucket.ts';
import { Users, readBasicAuth, type Verdict } from './users.ts';
import { WebConfigFile, type WebConfigFileOptions } from './web-config-file.ts';
import type { WebConfig } from './web-config.ts';

export interface ProtectionOptions extends WebConfigFileOptions {
  /** Whether `/-/healthy` and `/-/ready` are answered to everyone. */
  readonly isHealthOpen: boolean;
  /** Never goes back. */
  readonly monotonicMs: () => number;
  /** Compares passwords with bcrypt hashes. Defaults to a thread. */
  readonly bcrypt?: Pick<Bcrypt, 'compare' | 'close'>;
}

const handshakeTimeoutMs = 10_000;

const healthPaths = new Set(['/-/healthy', '/-/ready']);

/** Applies the web configuration of a file to connections and requests. */
export class WebProtection implements Protection {
  readonly #options: ProtectionOptions;
  readonly #file: WebConfigFile;
  readonly #bcrypt: Pick<Bcrypt, 'compare' | 'close'>;
  readonly #users: Users;
  readonly #handshakes: Handshakes | null;
  #config: WebConfig;
  #bucket: TokenBucket | null;

  private constructor(options: ProtectionOptions, file: WebConfigFile) {
    const config = file.present;
    const { bcrypt = new Bcrypt() } = options;
    this.#options = options;
    this.#file = file;
    this.#bcrypt = bcrypt;
    this.#config = config;
    this.#users = new Users((password, hash) => bcrypt.compare(password, hash));
    this.#handshakes = config.tls === null ? null : new Handshakes(config.tls, handshakeTimeoutMs);
    this.#bucket = this.#createBucket(config);
    file.watch((next) => {
      this.#configure(next);
    });
  }

  /** @throws InvalidFileError with every problem of the file */
  static async open(options: ProtectionOptions): Promise<WebProtection> {
    return new WebProtection(options, await WebConfigFile.open(options));
  }

  get isTls(): boolean {
    return this.#handshakes !== null;
  }

  handshake(socket: Socket, onSecure: (secure: TLSSocket) => void): void {
    this.#handshakes?.begin(socket, onSecure);
  }

  admit(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const { isHealthOpen, monotonicMs } = this.#options;
    for (const [name, value] of this.#config.headers) response.setHeader(name, value);
    if (isHealthOpen && healthPaths.has(request.url?.split('?', 1)[0] ?? '')) return true;
    if (this.#bucket?.take(monotonicMs()) === false) return tooMany(response);
    return this.#config.users.size === 0 || this.#authenticate(request, response);
  }

  status(): WebConfigStatus {
    return this.#file.status;
  }

  close(): void {
    this.#file.close();
    this.#bcrypt.close();
    this.#handshakes?.close();
  }

  /** Applies from the next handshake and the next request on. */
  #configure(config: WebConfig): void {
    const { rateLimit, tls } = config;
    const isSameLimit = isDeepStrictEqual(rateLimit, this.#config.rateLimit);
    this.#config = config;
    if (tls !== null) this.#handshakes?.configure(tls);
    if (!isSameLimit) this.#bucket = this.#createBucket(config);
  }

  #authenticate(request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const { headers, socket, url = '' } = request;
    const credentials = readBasicAuth(headers.authorization);
    if (credentials === null) return unauthorized(response);
    const login = { ...credentials, client: socket.remoteAddress ?? '' };
    const verdict = this.#users.check(login, this.#config.users);
    if (typeof verdict === 'string') return answer(verdict, response);
    return verdict.then(
      (late) => answer(late, response),
      (err: unknown) => {
        this.#options.logger.error('request failed', { path: url.split('?', 1)[0], err });
        return refuse(response, 500, internalErrorText);
      },
    );
  }

  #createBucket({ rateLimit }: WebConfig): TokenBucket | null {
    return rateLimit === null ? null : new TokenBucket(rateLimit, this.#options.monotonicMs());
  }
}

function answer(verdict: Verdict, response: ServerResponse): boolean {
  if (verdict === 'right') return true;
  return verdict === 'busy' ? tooMany(response) : unauthorized(response);
}

function unauthorized(response: ServerResponse): false {
  response.setHeader('WWW-Authenticate', 'Basic realm="cvm-quota-monitor", charset="UTF-8"');
  return refuse(response, 401, 'unauthorized\n');
}

function tooMany(response: ServerResponse): false {
  return refuse(response, 429, 'too many requests\n');
}

function refuse(response: ServerResponse, status: number, text: string): false {
  const headers = { ...textHeaders, ...commonHeaders, 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
  return false;
}
