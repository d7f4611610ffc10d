/** Authenticates a request: finds its account and checks its signature. */
import type { DecodedRequest, V1Request } from '../protocol/decode.ts';
import { ServiceError, required } from '../protocol/service-error.ts';
import type { Caller } from '../operations/operation.ts';
import { secretIdPattern, type AccessKey, type Account } from '../resources/accounts.ts';
import { hasTc3Signature, type SigningKeys } from './tc3.ts';
import { v1Signature } from './v1.ts';

/** Seconds by which a timestamp may differ from the emulator's clock (docs/service.md, section 4). */
const allowedSkewSeconds = 300;

/** What signatures are checked with. Times are milliseconds since the Unix epoch. */
export interface AuthenticationContext {
  /** The clock for the expiry of tokens. */
  readonly nowMs: number;
  /** The clock that timestamps are compared with. */
  readonly clientNowMs: number;
  readonly signingKeys: SigningKeys;
}

/** The unverified account of a request. `null` when the request names no existing account. */
export function claimedAccount(
  request: DecodedRequest,
  accounts: readonly Account[],
): Account | null {
  const secretId = claimedSecretId(request);
  if (secretId === null) return keylessAccount(accounts);
  const holds = (account: Account) => keyOf(account, secretId) !== null;
  return accounts.find(holds) ?? (verifies(accounts) ? null : keylessAccount(accounts));
}

/**
 * Returns the account and the key of a request. Unsigned requests belong to the first account without keys.
 * When no account has keys, signatures are not checked.
 *
 * @throws ServiceError `AuthFailure.*`, or `MissingParameter` when a required signature is incomplete
 */
export function authenticate(
  request: DecodedRequest,
  accounts: readonly Account[],
  context: AuthenticationContext,
): Caller {
  const keyless = keylessAccount(accounts);
  if (keyless !== null && (claimedSecretId(request) === null || !verifies(accounts))) {
    return { account: keyless, key: null };
  }
  return request.scheme === 'v1'
    ? authenticateV1(request, accounts, context)
    : authenticateTc3(request, accounts, context);
}

function authenticateV1(
  request: V1Request,
  accounts: readonly Account[],
  { nowMs, clientNowMs }: AuthenticationContext,
): Caller & { readonly key: AccessKey } {
  const secretId = required(request.secretId, 'SecretId');
  const signature = required(request.signature, 'Signature');
  checkTimestamp(required(request.timestamp, 'Timestamp'), clientNowMs);
  // The official SDK also sends the nonce 0, although the documentation requires a positive one.
  if (!/^\d{1,20}$/.test(required(request.nonce, 'Nonce'))) {
    throw new ServiceError('InvalidParameter', 'The parameter `Nonce` is not an integer.');
  }
  const { account, key } = holderOf(secretId, accounts);
  if (v1Signature(request, key.secretKey) !== signature) {
    throw new ServiceError('AuthFailure.SignatureFailure');
  }
  checkToken(request, key, nowMs);
  return { account, key };
}

function authenticateTc3(
  request: Extract<DecodedRequest, { scheme: 'tc3' }>,
  accounts: readonly Account[],
  { nowMs, clientNowMs, signingKeys }: AuthenticationContext,
): Caller & { readonly key: AccessKey } {
  required(request.authorization, 'Authorization');
  const authorization = request.credential;
  if (authorization === null) throw new ServiceError('AuthFailure.InvalidAuthorization');
  const seconds = checkTimestamp(required(request.timestamp, 'Timestamp'), clientNowMs);
  const { account, key } = holderOf(authorization.secretId, accounts);
  if (
    authorization.date !== signingKeys.dateOf(seconds) ||
    !hasTc3Signature(request, authorization, signingKeys.of(key, authorization))
  ) {
    throw new ServiceError('AuthFailure.SignatureFailure');
  }
  checkToken(request, key, nowMs);
  return { account, key };
}

function claimedSecretId(request: DecodedRequest): string | null {
  if (request.scheme === 'v1') return request.secretId ?? request.signature;
  return request.credential?.secretId ?? request.authorization;
}

function keylessAccount(accounts: readonly Account[]): Account | null {
  return accounts.find((account) => !hasKeys(account)) ?? null;
}

function verifies(accounts: readonly Account[]): boolean {
  return accounts.some(hasKeys);
}

/** Whether requests of an account are signed. A role gets temporary keys. */
function hasKeys({ keys, roles }: Account): boolean {
  return keys.length > 0 || roles.size > 0;
}

/** The key of an account, or the temporary key of one of its roles. */
function keyOf({ keys, sessions }: Account, secretId: string): AccessKey | null {
  return keys.find((key) => key.secretId === secretId) ?? sessions.get(secretId) ?? null;
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

function holderOf(
  secretId: string,
  accounts: readonly Account[],
): { account: Account; key: AccessKey } {
  if (!secretIdPattern.test(secretId)) {
    throw new ServiceError('AuthFailure.InvalidSecretId');
  }
  for (const account of accounts) {
    const key = keyOf(account, secretId);
    if (key !== null) return { account, key };
  }
  throw new ServiceError('AuthFailure.SecretIdNotFound');
}

function checkToken(request: DecodedRequest, key: AccessKey, nowMs: number): void {
  const isExpired = key.validUntilMs !== null && nowMs >= key.validUntilMs;
  if (isExpired || request.token !== key.token) throw new ServiceError('AuthFailure.TokenFailure');
}
