/**
 * Finds the account of a request, and checks its signature. `service/dispatch.ts` authenticates
 * before it answers, and `service/service.ts` asks which account a request claims, for faults and the list of requests.
 */
import type { PublicContext } from '../operations/operation.ts';
import type { DecodedRequest } from '../protocol/message.ts';
import { check, required } from '../protocol/service-error.ts';
import { findRole, hasKeys, secretIdPattern, type Account } from '../scenario/account.ts';
import type { EmulatorState } from '../state/state.ts';

const signatureMessage =
  'The provided credentials could not be validated. Please check your signature is correct.';

/** The most seconds by which a timestamp may differ from the emulator's clock (docs/service.md, section 4). */
const allowedSkewSeconds = 300;

/**
 * The account that a request claims to be from, without a check of its signature: faults and the list of requests name
 * it, also when the request is refused. `null` when its SecretId or its role is unknown.
 */
export function claimedAccount(request: DecodedRequest, state: EmulatorState): Account | null {
  // AssumeRoleWithWebIdentity needs no key, so the request belongs to the account of its role.
  if (request.commonParameter('Action') === 'AssumeRoleWithWebIdentity') {
    return findRole(request.parameters.values['RoleArn'], state.accounts)?.account ?? null;
  }
  return state.keys.get(request.secretId ?? '')?.account ?? unsignedAccount(request, state);
}

/**
 * Returns the account and the key of a request. Unsigned requests belong to the account without keys. When no
 * account has keys, signatures are not checked. The key is `null` when no signature was checked.
 *
 * @param service the service of the operation, which the scope of a signature must name
 * @throws ServiceError `AuthFailure.*`, or `MissingParameter` when a required signature is incomplete
 */
export function authenticate(request: DecodedRequest, service: string, context: PublicContext) {
  const { state, nowMs, clientNowMs } = context;
  const keyless = unsignedAccount(request, state);
  if (keyless !== null) return { account: keyless, key: null };
  const isSignedWith = request.readSignature();
  const timestamp = required(request.commonParameter('Timestamp'), 'Timestamp');
  checkTimestamp(timestamp, clientNowMs);
  const secretId = request.secretId ?? '';
  check(secretIdPattern.test(secretId), 'AuthFailure.InvalidSecretId');
  const key = state.keys.get(secretId);
  const message = 'The SecretId is not found, please ensure that your SecretId is correct.';
  check(key !== undefined, 'AuthFailure.SecretIdNotFound', message);
  const isSigned = isSignedWith(key.secret_key, service, timestamp);
  check(isSigned, 'AuthFailure.SignatureFailure', signatureMessage);
  // A key without a token refuses every token.
  const isTokenOfKey = request.commonParameter('Token') === (key.token ?? null);
  check(isTokenOfKey && nowMs < key.untilMs, 'AuthFailure.TokenFailure');
  return { account: key.account, key };
}

/**
 * The account without keys that gets the request; `null` when the request must be signed. A scenario has at most one
 * such account. It gets the unsigned requests, and all requests when no account has keys.
 */
function unsignedAccount({ secretId, signing }: DecodedRequest, { accounts }: EmulatorState) {
  const isUnsigned = secretId === null && signing === null;
  if (!isUnsigned && accounts.some(hasKeys)) return null;
  return accounts.find((account) => !hasKeys(account)) ?? null;
}

/** @throws ServiceError when the timestamp is malformed, or too far from `nowMs` */
function checkTimestamp(text: string, nowMs: number): void {
  const isNumber = /^\d{1,12}$/.test(text);
  check(isNumber, 'InvalidParameter', 'The parameter `Timestamp` is not in Unix seconds.');
  const skewSeconds = Math.abs(Number(text) - Math.floor(nowMs / 1000));
  check(skewSeconds <= allowedSkewSeconds, 'AuthFailure.SignatureExpire');
}
