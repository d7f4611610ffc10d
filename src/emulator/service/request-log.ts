/** The log of received requests. It contains no secrets. */
import type { FaultSubject } from '../faults/faults.ts';
import type { DecodedRequest } from '../protocol/decode.ts';
import type { EmulatorRequest } from '../protocol/message.ts';
import type { ParameterValue } from '../protocol/parameters.ts';

/** One request and its answer. */
export interface ReceivedRequest {
  /** Time of arrival, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly requestId: string;
  readonly method: string;
  /** The Host header, or the host of the target if the target is a whole URL. */
  readonly host: string | null;
  /** Headers. Names are in lower case, secrets are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The signature method. `null` when the request is not signed or cannot be read. */
  readonly signing: 'TC3-HMAC-SHA256' | 'HmacSHA256' | 'HmacSHA1' | null;
  readonly secretId: string | null;
  readonly operation: string | null;
  /** The unverified account of the request. */
  readonly account: string | null;
  readonly region: string | null;
  /** The parameters of the operation. `null` when they cannot be read or are longer than 2 KB. */
  readonly parameters: Readonly<Record<string, ParameterValue>> | null;
  /** The HTTP status of the answer. `null` when a fault prevented an answer. */
  readonly status: number | null;
  /** The error code of the answer. `null` for success. */
  readonly code: string | null;
  /** The effect of the fault rule that decided the answer. */
  readonly fault: string | null;
  readonly latencyMs: number;
}

type LoggedHeaders = Pick<ReceivedRequest, 'host' | 'headers'>;

/** What the service did with a request. */
interface Handling extends Pick<
  ReceivedRequest,
  'atMs' | 'requestId' | 'status' | 'code' | 'fault' | 'latencyMs'
> {
  readonly subject: FaultSubject;
}

const longestName = 100;
const longestHeader = 500;
const mostHeaders = 50;
const largestParametersBytes = 2048;

/** Makes the entries of the log. */
export class RequestReader {
  #lastSent: EmulatorRequest['headers'] = {};
  #last: LoggedHeaders = { host: null, headers: {} };
  #lastSecretId: string | null = null;

  /**
   * Without a spread, because an entry is made for each request, and V8 copies spread properties one by one.
   *
   * @param decoded `null` when the request cannot be read
   */
  entry(
    request: EmulatorRequest,
    decoded: DecodedRequest | null,
    { atMs, requestId, subject, status, code, fault, latencyMs }: Handling,
  ): ReceivedRequest {
    const { host, headers } = this.#headersOf(request.headers);
    const { signing, secretId } = signatureOf(decoded);
    if (secretId !== this.#lastSecretId) this.#lastSecretId = secretId && excerpt(secretId);
    const { operation, account, region } = subject;
    return {
      atMs,
      requestId,
      method: shortened(request.method),
      host,
      headers,
      signing,
      secretId: this.#lastSecretId,
      operation,
      account,
      region,
      parameters: decoded === null ? null : loggedParameters(request, decoded),
      status,
      code,
      fault,
      latencyMs,
    };
  }

  /** A client mostly sends the same headers again. Entries with the same headers then share them. */
  #headersOf(sent: EmulatorRequest['headers']): LoggedHeaders {
    if (!isSame(sent, this.#lastSent)) {
      this.#lastSent = sent;
      this.#last = loggedHeaders(sent);
    }
    return this.#last;
  }
}

function isSame(a: EmulatorRequest['headers'], b: EmulatorRequest['headers']): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function loggedHeaders(sent: EmulatorRequest['headers']): LoggedHeaders {
  const headers = Object.entries(sent).slice(0, mostHeaders);
  const { host } = sent;
  return {
    host: typeof host === 'string' ? excerpt(host) : null,
    headers: Object.fromEntries(
      headers.map(([name, value]) => [shortened(name), loggedHeader(name, String(value ?? ''))]),
    ),
  };
}

/**
 * The beginning of a text, as a copy. A slice would keep the whole request in memory as long as the log
 * entry.
 */
export function excerpt(text: string, length = longestName): string {
  return Buffer.from(text.slice(0, length)).toString();
}

function loggedHeader(name: string, value: string): string {
  if (name === 'authorization') return excerpt(withoutSignature(value), longestHeader);
  return /token|secret|cookie|password|authorization/.test(name)
    ? '***'
    : shortened(value, longestHeader);
}

/** A header is a separate text, so a short one needs no copy. */
function shortened(text: string, length = longestName): string {
  return text.length <= length ? text : excerpt(text, length);
}

/** For other schemes, only the name of the scheme: the rest may be a password. */
function withoutSignature(authorization: string): string {
  return authorization.startsWith('TC3-HMAC-SHA256 ')
    ? authorization.replace(/Signature=.*/s, 'Signature=***')
    : authorization.replace(/^(\S+)\s.*$/s, '$1 ***');
}

function signatureOf(
  decoded: DecodedRequest | null,
): Pick<ReceivedRequest, 'signing' | 'secretId'> {
  if (decoded?.scheme === 'tc3' && decoded.authorization !== null) {
    return { signing: 'TC3-HMAC-SHA256', secretId: decoded.credential?.secretId ?? null };
  }
  if (decoded?.scheme === 'v1' && decoded.signature !== null) {
    const signing = decoded.signatureMethod === 'HmacSHA256' ? 'HmacSHA256' : 'HmacSHA1';
    return { signing, secretId: decoded.secretId };
  }
  return { signing: null, secretId: null };
}

/** Parameters that prove who calls. */
const secretParameters: ReadonlySet<string> = new Set(['WebIdentityToken', 'ExternalId']);

function loggedParameters({ target, body }: EmulatorRequest, { parameters }: DecodedRequest) {
  const sizeBytes = target.length + (body?.length ?? 0);
  if (sizeBytes > largestParametersBytes) return null;
  const entries = [...parameters.values];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secretParameters.has(name) ? '***' : value]),
  );
}
