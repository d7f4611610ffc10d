/**
 * Finds the account of a request, and checks its signature. `service/dispatch.ts` authenticates
 * before it answers, and `service/service.ts` asks which account a request claims, for faults and the list of requests.
 */
import type { Caller, PublicContext } from '../operations/operation.ts';
import type { DecodedRequest } from '../protocol/message.ts';
import { check, ServiceError, required } from '../protocol/service-error.ts';
import { hasKeys, secretIdPattern, type Account } from '../scenario/account.ts';
import type { StoredKey } from '../state/key-store.ts';
import type { EmulatorState } from '../state/state.ts';

/** Seconds by which a timestamp may differ from the emulator's clock (docs/service.md, section 4). */
const allowedSkewSeconds = 300;

/**
 * The account that a request claims to be from, without a check of its signature: faults and the list of requests name
 * it, also when the request is refused. `null` when its SecretId is unknown.
 */
export function claimedAccount(request: DecodedRequest, state: EmulatorState): Account | null {
  const stored = state.keys.get(request.secretId ?? '');
  if (stored !== undefined) return stored.account;
  return isUnsigned(request) || !checksSignatures(state) ? keylessAccount(state) : null;
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
  { state, nowMs, clientNowMs }: PublicContext,
): Caller {
  const keyless = keylessAccount(state);
  if (keyless !== null && (isUnsigned(request) || !checksSignatures(state))) {
    return { account: keyless, key: null };
  }
  const { secretId, isMadeWith } = request.givenSignature();
  const timestamp = required(request.commonParameter('Timestamp'), 'Timestamp');
  checkTimestamp(timestamp, clientNowMs);
  const { account, key, untilMs } = existingKey(secretId, state);
  check(isMadeWith(key.secret_key, service, timestamp), 'AuthFailure.SignatureFailure');
  const hasToken = request.commonParameter('Token') === (key.token ?? null);
  check(hasToken && nowMs < untilMs, 'AuthFailure.TokenFailure');
  return { account, key };
}

function isUnsigned({ secretId, signing }: DecodedRequest): boolean {
  return secretId === null && signing === null;
}

/** The account that unsigned requests belong to. A scenario has one at most. */
function keylessAccount({ accounts }: EmulatorState): Account | null {
  return accounts.find((account) => !hasKeys(account)) ?? null;
}

/** False when no account has keys: then any signature is accepted. */
function checksSignatures({ accounts }: EmulatorState): boolean {
  return accounts.some(hasKeys);
}

function checkTimestamp(text: string, nowMs: number): void {
  const isNumber = /^\d{1,12}$/.test(text);
  check(isNumber, 'InvalidParameter', 'The parameter `Timestamp` is not in Unix seconds.');
  const skewSeconds = Math.abs(Number(text) - Math.floor(nowMs / 1000));
  check(skewSeconds <= allowedSkewSeconds, 'AuthFailure.SignatureExpire');
}

function existingKey(secretId: string, state: EmulatorState): StoredKey {
  if (!secretIdPattern.test(secretId)) throw new ServiceError('AuthFailure.InvalidSecretId');
  const stored = state.keys.get(secretId);
  if (stored === undefined) throw new ServiceError('AuthFailure.SecretIdNotFound');
  return stored;
}
