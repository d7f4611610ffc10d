/** Authenticates a request: finds its account and checks its signature. */
import { createHmac, hash } from 'node:crypto';
import type { Caller } from '../operations/operation.ts';
import type {
  DecodedRequest,
  Tc3Authorization,
  Tc3Request,
  V1Request,
} from '../protocol/decode.ts';
import { headerOf } from '../protocol/message.ts';
import { ServiceError, required } from '../protocol/service-error.ts';
import { hasKeys, secretIdPattern, type Account } from '../scenario/account.ts';
import type { EmulatorState, HeldKey } from '../state/state.ts';

/** Seconds by which a timestamp may differ from the emulator's clock (docs/service.md, section 4). */
const allowedSkewSeconds = 300;

/** What signatures are checked with. Times are milliseconds since the Unix epoch. */
export interface AuthenticationContext {
  readonly state: EmulatorState;
  /** The clock for the expiry of tokens. */
  readonly nowMs: number;
  /** The clock that timestamps are compared with. */
  readonly clientNowMs: number;
}

/** The unverified account of a request. `null` when the request names no existing account. */
export function claimedAccount(request: DecodedRequest, state: EmulatorState): Account | null {
  const held = state.keys.get(request.secretId ?? '');
  if (held !== undefined) return held.account;
  return isUnsigned(request) || !verifies(state) ? keylessAccount(state) : null;
}

/**
 * Returns the account and the key of a request. Unsigned requests belong to the account without keys. When no
 * account has keys, signatures are not checked.
 *
 * @param service the service of the operation, which the scope of a signature must name
 * @throws ServiceError `AuthFailure.*`, or `MissingParameter` when a required signature is incomplete
 */
export function authenticate(
  request: DecodedRequest,
  service: string,
  context: AuthenticationContext,
): Caller {
  const { state, nowMs } = context;
  const keyless = keylessAccount(state);
  if (keyless !== null && (isUnsigned(request) || !verifies(state))) {
    return { account: keyless, key: null };
  }
  const { account, key, untilMs } =
    request.scheme === 'v1' ? verifiedV1(request, context) : verifiedTc3(request, service, context);
  if (nowMs >= untilMs || request.common('Token') !== (key.token ?? null)) {
    throw new ServiceError('AuthFailure.TokenFailure');
  }
  return { account, key };
}

function verifiedV1(request: V1Request, { state, clientNowMs }: AuthenticationContext): HeldKey {
  const secretId = required(request.secretId, 'SecretId');
  const signature = required(request.common('Signature'), 'Signature');
  checkTimestamp(required(request.common('Timestamp'), 'Timestamp'), clientNowMs);
  // The official SDK also sends the nonce 0, although the documentation requires a positive one.
  if (!/^\d{1,20}$/.test(required(request.common('Nonce'), 'Nonce'))) {
    throw new ServiceError('InvalidParameter', 'The parameter `Nonce` is not an integer.');
  }
  const held = heldKey(secretId, state);
  if (v1Signature(request, held.key.secret_key) !== signature) {
    throw new ServiceError('AuthFailure.SignatureFailure');
  }
  return held;
}

function verifiedTc3(
  request: Tc3Request,
  service: string,
  { state, clientNowMs }: AuthenticationContext,
): HeldKey {
  required(request.authorization, 'Authorization');
  const authorization = request.credential;
  if (authorization === null) throw new ServiceError('AuthFailure.InvalidAuthorization');
  const seconds = checkTimestamp(required(request.common('Timestamp'), 'Timestamp'), clientNowMs);
  const held = heldKey(authorization.secretId, state);
  const isScopeRight =
    authorization.date === dateOf(seconds) &&
    scopesOf(request, service).includes(authorization.service);
  if (!isScopeRight || !hasTc3Signature(request, authorization, held.key.secret_key)) {
    throw new ServiceError('AuthFailure.SignatureFailure');
  }
  return held;
}

/** An SDK that is pointed at `127.0.0.1` or `localhost` takes the first label of this host for the service. */
function scopesOf({ host, service: named }: Tc3Request, service: string): readonly string[] {
  return named === null ? [service, host.replace(/[.:].*$/s, '')] : [service];
}

function isUnsigned({ secretId, signing }: DecodedRequest): boolean {
  return secretId === null && signing === null;
}

function keylessAccount({ accounts }: EmulatorState): Account | null {
  return accounts.find((account) => !hasKeys(account)) ?? null;
}

function verifies({ accounts }: EmulatorState): boolean {
  return accounts.some(hasKeys);
}

/** @returns the timestamp in seconds since the Unix epoch */
function checkTimestamp(text: string, nowMs: number): number {
  if (!/^\d{1,12}$/.test(text)) {
    throw new ServiceError('InvalidParameter', 'The parameter `Timestamp` is not in Unix seconds.');
  }
  const seconds = Number(text);
  if (Math.abs(seconds - Math.floor(nowMs / 1000)) > allowedSkewSeconds) {
    throw new ServiceError('AuthFailure.SignatureExpire');
  }
  return seconds;
}

function heldKey(secretId: string, state: EmulatorState): HeldKey {
  if (!secretIdPattern.test(secretId)) throw new ServiceError('AuthFailure.InvalidSecretId');
  const held = state.keys.get(secretId);
  if (held === undefined) throw new ServiceError('AuthFailure.SecretIdNotFound');
  return held;
}

/** Signature v1: HMAC over all parameters. Only the exact value `HmacSHA256` selects SHA-256. */
function v1Signature(request: V1Request, secretKey: string): string {
  const joined = request.pairs
    .filter(([name]) => name !== 'Signature')
    .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHmac(request.signing === 'HmacSHA256' ? 'sha256' : 'sha1', secretKey)
    .update(`${request.method}${request.host}/?${joined}`)
    .digest('base64');
}

/**
 * Whether a signature v3, TC3-HMAC-SHA256, is correct. SDKs differ, so both forms are accepted: the host with
 * and without port, and header values in lower case and as sent.
 *
 * @throws ServiceError `AuthFailure.SignatureFailure` when a signed header is missing
 */
function hasTc3Signature(
  request: Tc3Request,
  { date, service, signature, signedHeaders }: Tc3Authorization,
  secretKey: string,
): boolean {
  const { method, rawQuery, host } = request;
  const isPayloadSigned = headerOf(request, 'x-tc-content-sha256') !== 'UNSIGNED-PAYLOAD';
  const payloadHash = sha256Hex(isPayloadSigned ? request.body : 'UNSIGNED-PAYLOAD');
  const key = hmac(hmac(hmac(`TC3${secretKey}`, date), service), 'tc3_request');
  return [host, host.replace(/:\d+$/, '')]
    .map((each) => canonicalHeaders(request, signedHeaders, each))
    .flatMap((headers) => [headers.toLowerCase(), headers])
    .some((headers) => {
      const ending = `${headers}\n${signedHeaders.join(';')}\n${payloadHash}`;
      const canonical = `${method}\n/\n${rawQuery}\n${ending}`;
      const toSign = `TC3-HMAC-SHA256\n${request.common('Timestamp') ?? ''}\n${date}/${service}/tc3_request\n${sha256Hex(canonical)}`;
      return hmac(key, toSign).toString('hex') === signature;
    });
}

function canonicalHeaders(request: Tc3Request, names: readonly string[], host: string): string {
  return names
    .map((name) => {
      const value = name === 'host' ? host : headerOf(request, name);
      if (value !== null) return `${name}:${value.trim()}\n`;
      const message = `The signed header \`${name.slice(0, 100)}\` is not in the request.`;
      throw new ServiceError('AuthFailure.SignatureFailure', message);
    })
    .join('');
}

/** The day in UTC in the scope of a signature, such as `2023-11-14`. */
function dateOf(timestampSeconds: number): string {
  return new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
