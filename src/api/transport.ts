/**
 * Sends requests over HTTP with undici: the attempts of `call.ts`, and questions of `credentials/metadata.ts` to the
 * metadata service. The daemon configures and closes it. Limits of time and size bound the damage that a faulty server
 * can cause.
 */
import { createSecureContext, rootCertificates } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { Agent, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { CodedError, type ClientErrorCode } from '../model/coded-error.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import { resolveProxies, type Environment, type ProxyVariables } from './proxy.ts';
import type { WireRequest } from './request.ts';
import { quoted } from './response.ts';

/** The largest page of the service, 100 versions with the longest UserData, has 2.1 MiB. */
const maxAnswerBytes = 3 * 1024 * 1024;
/** The first buffer of an answer. A longer answer gets a buffer for the longest one. */
const usualAnswerBytes = 16 * 1024;
const tooLong = `the answer is longer than ${maxAnswerBytes} bytes`;
/** Maximum length of what a message says of the reason of a failure. */
const maxTextLength = 500;
/** Maximum time to open a connection, and for a proxy to open a tunnel. An attempt may have less time. */
const maxConnectMs = 10_000;

/** The settings of the configuration for all connections. */
export interface ConnectionSettings {
  /** `environment`, `none`, or the URL of a proxy. */
  readonly proxy: string;
  /** Certificates of authorities, in PEM. They are trusted besides the built-in ones. */
  readonly authorities: readonly string[];
}

export interface SendOptions {
  /** The time from now to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Ends the request at once. `send` then rejects with its reason. */
  readonly signal: AbortSignal;
  /**
   * Called when the connection is ready, right before the headers are written. The request is not sent if it
   * throws. `call.ts` checks the lease here, and reports the write to the rate limit.
   */
  readonly onWrite?: () => void;
}

/** A complete answer with any status. */
export interface Answer {
  readonly status: number;
  /** The header `Date`, `null` without one. */
  readonly date: string | null;
  readonly body: string;
}

/** Owns the connections of the process: direct ones, and those through the proxies of a configuration. */
export class Transport {
  readonly #env: Environment;
  #settings: ConnectionSettings | null = null;
  #direct: Dispatcher = new Agent();
  #proxied: Dispatcher = this.#direct;
  /** Endpoint and proxies, for messages about timeouts. */
  #hops = 'the endpoint';
  /** Why every `send` fails. `null` if the proxies are valid. */
  #problem: string | null = null;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Replaces the connections if the settings differ. Requests in flight end on the old ones. */
  configure({ proxy, authorities }: ConnectionSettings): void {
    const settings = { proxy, authorities };
    if (isDeepStrictEqual(settings, this.#settings)) return;
    this.#settings = settings;
    for (const dispatcher of [this.#proxied, this.#direct]) void dispatcher.close();
    const { hosts, problem, variables } = resolveProxies(proxy, this.#env);
    [this.#direct, this.#proxied] = createAgents(authorities, hosts.length > 0 ? variables : null);
    this.#hops = ['the endpoint', ...hosts.map((host) => `the proxy ${host}`)].join(' or ');
    this.#problem = problem;
  }

  /**
   * Sends a request, through a proxy if the settings name one. Redirects are not followed. Compressed answers are neither
   * requested nor accepted, because a small one can expand to any size.
   *
   * @throws CodedError `Timeout`, `NetworkError` or `InvalidResponse`
   * @throws the signal's reason when it aborts, and what `onWrite` throws
   */
  send(origin: URL, request: WireRequest, options: SendOptions): Promise<Answer> {
    return this.#problem === null
      ? exchange(this.#proxied, origin, request, { ...options, hops: this.#hops })
      : Promise.reject(new CodedError('NetworkError', this.#problem));
  }

  /** The same as {@link send}, but never through a proxy. */
  sendWithoutProxy(origin: URL, request: WireRequest, options: SendOptions): Promise<Answer> {
    return exchange(this.#direct, origin, request, { ...options, hops: 'the endpoint' });
  }

  /** Ends every connection, also those with a request in flight. */
  close(): void {
    for (const dispatcher of [this.#proxied, this.#direct]) void dispatcher.destroy();
  }
}

/** @returns the dispatcher of direct connections, and that of `send`: the same one without proxies */
function createAgents(
  authorities: readonly string[],
  proxies: ProxyVariables | null,
): readonly [Dispatcher, Dispatcher] {
  const tls = {
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn the verification off.
    rejectUnauthorized: true,
    timeout: maxConnectMs,
    ...(authorities.length > 0 && {
      // Creating it takes tens of milliseconds, so all connections share one.
      secureContext: createSecureContext({ ca: [...rootCertificates, ...authorities] }),
    }),
  };
  // An attempt has a time limit of its own.
  const limits = { maxResponseSize: maxAnswerBytes, headersTimeout: 0, bodyTimeout: 0 };
  const direct = new Agent({ ...limits, connect: tls });
  if (proxies === null) return [direct, direct];
  const proxied = new EnvHttpProxyAgent({
    ...limits,
    ...proxies,
    connect: tls,
    proxyTls: tls,
    requestTls: tls,
    clientFactory: (proxyUrl, options) => new ProxyPool(proxyUrl, options),
  });
  return [direct, proxied];
}

/**
 * The connections to a proxy. Their failures name it. They also have no codes of undici, which would open
 * connections without end to a proxy that closes them (`UND_ERR_SOCKET`).
 */
class ProxyPool extends Pool {
  readonly #host: string;

  constructor(proxy: URL, options: object) {
    super(proxy, { ...options, headersTimeout: maxConnectMs });
    this.#host = proxy.host;
  }

  override connect(
    options: Omit<Dispatcher.ConnectOptions, 'origin'>,
  ): Promise<Dispatcher.ConnectData> {
    return super.connect(options).catch((error: unknown) => {
      if (!(error instanceof Error)) throw error;
      throw networkFailure(error, `no connection through the proxy ${this.#host}`);
    });
  }
}

/** Sends one request and collects its answer, until the answer ends, the time is over, or the signal aborts. */
function exchange(
  dispatcher: Dispatcher,
  origin: URL,
  { path, headers, body }: WireRequest,
  { onWrite, signal, timeoutMs, hops }: SendOptions & { readonly hops: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let controller: Dispatcher.DispatchController | null = null;
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    const fail = (error: Error) => {
      if (hasEnded) return;
      end();
      reject(error);
      controller?.abort(error);
    };
    const abort = () => {
      fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = setTimeout(() => {
      const what = controller === null ? `connection to ${hops}` : 'complete answer';
      fail(new CodedError('Timeout', `no ${what} within ${timeoutMs} ms`));
    }, timeoutMs);
    signal.addEventListener('abort', abort);

    const received = new AnswerBytes();
    const answer: { status: number; date: string | null } = { status: 0, date: null };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started;
        if (hasEnded) {
          started.abort(new Error('the request has ended'));
          return;
        }
        try {
          onWrite?.();
        } catch (error) {
          fail(error instanceof Error ? error : new Error(String(error)));
        }
      },
      onResponseStart: (_controller, status, answered) => {
        const {
          date,
          'content-encoding': encoding = 'identity',
          'content-length': length,
        } = answered;
        Object.assign(answer, { status, date: typeof date === 'string' ? date : null });
        if (encoding !== 'identity') {
          const message = 'the answer is compressed, which was not asked for';
          fail(new CodedError('InvalidResponse', message));
        } else if (Number(length ?? 0) > maxAnswerBytes) {
          fail(new CodedError('InvalidResponse', tooLong));
        }
      },
      onResponseData: (_controller, chunk) => {
        received.add(chunk);
      },
      onResponseEnd: () => {
        if (hasEnded) return;
        end();
        resolve({ ...answer, body: received.take() });
      },
      onResponseError: (_controller, error) => {
        fail(networkFailure(error, 'no answer from the endpoint'));
      },
    };
    const method = body === null ? 'GET' : 'POST';
    dispatcher.dispatch({ origin: origin.origin, method, path, headers, body }, handler);
  });
}

/**
 * Copies the bytes of an answer into one buffer: small chunks that are kept would cost far more than their bytes. The buffer
 * takes memory only where it is written.
 */
class AnswerBytes {
  /** Empty until the first bytes come: many requests may wait for theirs. */
  #bytes = Buffer.alloc(0);
  #length = 0;

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const grown = length > usualAnswerBytes ? longBuffer() : Buffer.allocUnsafe(usualAnswerBytes);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Returns the text, and gives the memory of a long answer back. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    const { buffer } = this.#bytes;
    if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
    return text;
  }
}

/** A buffer for the longest answer. It can be resized: so it is freed at once, and not when garbage is collected. */
const longBuffer = () =>
  Buffer.from(new ArrayBuffer(maxAnswerBytes, { maxByteLength: maxAnswerBytes }));

/** Our codes for failures of undici, by its codes. Any other failure is a `NetworkError`. */
const codesByCause = new Map<string | undefined, ClientErrorCode>([
  ['UND_ERR_CONNECT_TIMEOUT', 'Timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'Timeout'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'InvalidResponse'],
]);

/**
 * What to do about failures of OpenSSL and undici that another configuration avoids: a pattern of code and message, and
 * advice.
 */
const advices: readonly (readonly [RegExp, string])[] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF/,
    'name a private authority in api.ca_file',
  ],
  [
    // Some proxies answer 401 to a wrong password.
    /Proxy response \(40[17]\)/,
    'write the user name and the password of the proxy into the URL in HTTPS_PROXY',
  ],
];

/** Our error for a failure of undici. @param what begins the message, such as `no answer from the endpoint` */
function networkFailure(error: Error, what: string): CodedError {
  if (error instanceof CodedError) return error;
  const cause = codeOf(error);
  const code = codesByCause.get(cause) ?? 'NetworkError';
  if (code === 'InvalidResponse') return new CodedError(code, tooLong);
  // A certificate is text of the server. An error for several addresses has no message, but a code.
  const text = quoted(messageOf(error), maxTextLength) || (cause ?? error.name);
  const advice = advices.find(([pattern]) => pattern.test(`${cause ?? ''} ${text}`))?.[1];
  const message = [`${what}: ${text}`, ...(advice === undefined ? [] : [advice])].join('; ');
  // The error of the parser contains bytes of the answer. These may quote the request, and so a secret.
  return new CodedError(code, message, 'data' in error ? {} : { cause: error });
}
