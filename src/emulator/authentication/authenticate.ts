/** Authenticates a request: finds its account and checks its signature. */
import type { Caller } from '../operations/operation.ts';
import type { DecodedRequest, Tc3Request, V1Request } from '../protocol/decode.ts';
import { ServiceError, required } from '../protocol/service-error.ts';
import { hasKeys, secretIdPattern, type Account } from '../scenario/account.ts';
import type { EmulatorState, HeldKey } from '../state/state.ts';
import { dateOf, hasTc3Signature, v1Signature } from './signature.ts';

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
  const secretId = claimedSecretId(request);
  const held = secretId === null ? null : state.key(secretId);
  if (held !== null) return held.account;
  return secretId === null || !verifies(state) ? keylessAccount(state) : null;
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
  if (keyless !== null && (claimedSecretId(request) === null || !verifies(state))) {
    return { account: keyless, key: null };
  }
  const { account, key, untilMs } =
    request.scheme === 'v1' ? verifiedV1(request, context) : verifiedTc3(request, service, context);
  if (nowMs >= untilMs || request.token !== (key.token ?? null)) {
    throw new ServiceError('AuthFailure.TokenFailure');
  }
  return { account, key };
}

function verifiedV1(request: V1Request, { state, clientNowMs }: AuthenticationContext): HeldKey {
  const secretId = required(request.secretId, 'SecretId');
  const signature = required(request.signature, 'Signature');
  checkTimestamp(required(request.timestamp, 'Timestamp'), clientNowMs);
  // The official SDK also sends the nonce 0, although the documentation requires a positive one.
  if (!/^\d{1,20}$/.test(required(request.nonce, 'Nonce'))) {
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
  const seconds = checkTimestamp(required(request.timestamp, 'Timestamp'), clientNowMs);
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

function claimedSecretId(request: DecodedRequest): string | null {
  if (request.scheme === 'v1') return request.secretId ?? request.signature;
  return request.credential?.secretId ?? request.authorization;
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
  const held = state.key(secretId);
  if (held === null) throw new ServiceError('AuthFailure.SecretIdNotFound');
  return held;
}
