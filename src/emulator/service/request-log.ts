/** What the emulator remembers of a request. Secrets are left out. */
import type { DecodedRequest } from '../protocol/decode.ts';
import type { EmulatorRequest } from '../protocol/message.ts';
import type { ParameterValue } from '../protocol/parameters.ts';
import { parseAuthorization } from '../authentication/tc3.ts';

/** One request as it was received and answered. */
export interface ReceivedRequest {
  /** When it arrived; milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly requestId: string;
  readonly method: string;
  /** The Host header, or the host of the target where that is a whole URL. */
  readonly host: string | null;
  /** Names in lower case; secrets are replaced by `***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** How it is signed; `null` when it is not, or cannot be read. */
  readonly signing: 'TC3-HMAC-SHA256' | 'HmacSHA256' | 'HmacSHA1' | null;
  readonly secretId: string | null;
  readonly operation: string | null;
  /** The account it claimed to come from. */
  readonly account: string | null;
  readonly region: string | null;
  /** The operation's own parameters; `null` when they could not be read or are more than 2 KB. */
  readonly parameters: Readonly<Record<string, ParameterValue>> | null;
  /** The HTTP status it was answered with; `null` when a fault left it without an answer. */
  readonly status: number | null;
  /** The error code it was answered with; `null` for success. */
  readonly code: string | null;
  /** The effect of the fault rule that decided the answer. */
  readonly fault: string | null;
  readonly latencyMs: number;
}

type Received = Pick<
  ReceivedRequest,
  'method' | 'host' | 'headers' | 'signing' | 'secretId' | 'parameters'
>;

const longestName = 100;
const longestHeader = 500;
const mostHeaders = 50;
const largestParametersBytes = 2048;

/** @param decoded `null` when the request cannot be read */
export function receivedParts(request: EmulatorRequest, decoded: DecodedRequest | null): Received {
  const headers = Object.entries(request.headers).slice(0, mostHeaders);
  const { host } = request.headers;
  return {
    method: excerpt(request.method),
    host: typeof host === 'string' ? excerpt(host) : null,
    headers: Object.fromEntries(
      headers.map(([name, value]) => [shortened(name), loggedHeader(name, String(value ?? ''))]),
    ),
    ...signatureOf(decoded),
    parameters: decoded === null ? null : loggedParameters(request, decoded),
  };
}

/**
 * The beginning of a text, as a copy: a mere slice would keep the whole request alive as long as it is
 * logged.
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

/** A header is a text of its own, so a short one needs no copy. */
function shortened(text: string, length = longestName): string {
  return text.length <= length ? text : excerpt(text, length);
}

/** Of another scheme only its name, since what follows may be a password. */
function withoutSignature(authorization: string): string {
  return authorization.startsWith('TC3-HMAC-SHA256 ')
    ? authorization.replace(/Signature=.*/s, 'Signature=***')
    : authorization.replace(/^(\S+)\s.*$/s, '$1 ***');
}

function signatureOf(decoded: DecodedRequest | null): Pick<Received, 'signing' | 'secretId'> {
  if (decoded?.scheme === 'tc3' && decoded.authorization !== null) {
    const secretId = parseAuthorization(decoded.authorization)?.secretId ?? null;
    return { signing: 'TC3-HMAC-SHA256', secretId: secretId && excerpt(secretId) };
  }
  if (decoded?.scheme === 'v1' && decoded.signature !== null) {
    const signing = decoded.signatureMethod === 'HmacSHA256' ? 'HmacSHA256' : 'HmacSHA1';
    return { signing, secretId: decoded.secretId && excerpt(decoded.secretId) };
  }
  return { signing: null, secretId: null };
}

function loggedParameters({ target, body }: EmulatorRequest, { parameters }: DecodedRequest) {
  const sizeBytes = target.length + (body?.length ?? 0);
  return sizeBytes > largestParametersBytes ? null : Object.fromEntries(parameters.values);
}
