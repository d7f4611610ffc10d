/** The parts that both operations share which give the temporary keys of a role. */
import { required, ServiceError } from '../protocol/service-error.ts';
import { integerOf, stringOf, type Parameters } from '../protocol/parameters.ts';
import type { Account } from '../resources/accounts.ts';
import { isRoleArn, openSession, roleOf, type RoleOfAccount } from '../resources/roles.ts';
import type { PublicContext } from './operation.ts';

const defaultSeconds = 7_200;

/**
 * The role of the parameter RoleArn.
 *
 * @throws ServiceError when the name is malformed, or there is no such role
 */
export function requestedRole(parameters: Parameters, accounts: readonly Account[]): RoleOfAccount {
  const arn = required(stringOf(parameters, 'RoleArn'), 'RoleArn');
  if (!isRoleArn(arn)) throw new ServiceError('InvalidParameter.ResouceError');
  const found = roleOf(arn, accounts);
  if (found === null) throw new ServiceError('ResourceNotFound.RoleNotFound');
  return found;
}

/**
 * Opens a session of a role, and answers its temporary keys.
 *
 * @throws ServiceError for an invalid RoleSessionName or DurationSeconds
 */
export function sessionAnswer(
  parameters: Parameters,
  role: RoleOfAccount,
  { nowMs, clientNowMs }: PublicContext,
): Readonly<Record<string, unknown>> {
  const sessionName = required(stringOf(parameters, 'RoleSessionName'), 'RoleSessionName');
  if (!/^[\w+=,.@-]{2,128}$/.test(sessionName)) {
    throw new ServiceError('InvalidParameter.ParamError', 'RoleSessionName is malformed.');
  }
  const seconds = integerOf(parameters, 'DurationSeconds') ?? defaultSeconds;
  if (seconds < 1) throw new ServiceError('InvalidParameter.ParamError');
  const durationMs = seconds * 1_000;
  if (durationMs > role.role.maxSessionMs) throw new ServiceError('InvalidParameter.OverTimeError');
  const session = openSession(role, { sessionName, durationMs, nowMs });
  return {
    Credentials: {
      Token: session.token,
      TmpSecretId: session.secretId,
      TmpSecretKey: session.secretKey,
    },
    ...expiryOf(clientNowMs + durationMs),
  };
}

/** The fields for the end of a session. Clients compare them with their own clocks. */
export function expiryOf(untilMs: number): { ExpiredTime: number; Expiration: string } {
  const seconds = Math.floor(untilMs / 1_000);
  return {
    ExpiredTime: seconds,
    Expiration: `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`,
  };
}
