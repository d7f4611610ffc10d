/**
 * AssumeRole of STS, and what the other ways to assume a role share with it. Not published, so we chose: a caller
 * that the role does not trust, a wrong ExternalId and a caller without the permission all get UnauthorizedOperation.
 * The parameters Tags, SourceIdentity, SerialNumber and TokenCode are not served.
 */
import { integerOf, refuseUnknown, stringOf, type Parameters } from '../protocol/parameters.ts';
import { check, required, ServiceError } from '../protocol/service-error.ts';
import { isRoleArn, findRole, type RoleOfAccount } from '../scenario/account.ts';
import { allows, policySchema, trusts, type Policy } from '../scenario/policy.ts';
import { msOf } from '../../validation/duration.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import type { EmulatorState } from '../state/state.ts';
import type { CallerContext, Operation, PublicContext } from './operation.ts';

const defaultSeconds = 7_200;

export const assumeRole: Operation<CallerContext> = (parameters, context) => {
  const names = ['RoleArn', 'RoleSessionName', 'DurationSeconds', 'ExternalId', 'Policy'];
  refuseUnknown(parameters, names);
  const { account, key } = context;
  const requested = requestedRole(parameters, context.state);
  const isPermitted = (key?.policies ?? []).every((policy) =>
    allows(policy, 'name/sts:AssumeRole', roleArns(requested)),
  );
  const isTrusted = trusts(requested.role.trust, {
    action: 'name/sts:AssumeRole',
    principal: 'qcs',
    names: [`qcs::cam::uin/${account.uin}:root`],
    context: { 'sts:external_id': stringOf(parameters, 'ExternalId') },
  });
  const message = 'You are not authorized to perform the operation sts:AssumeRole on this role.';
  check(isPermitted && isTrusted, 'UnauthorizedOperation', message);
  return answerWithSession(parameters, requested, context);
};

/**
 * Finds the role that the parameter RoleArn names.
 *
 * @throws ServiceError when the name is malformed, or there is no such role
 */
export function requestedRole(parameters: Parameters, { accounts }: EmulatorState): RoleOfAccount {
  const arn = required(stringOf(parameters, 'RoleArn'), 'RoleArn');
  if (!isRoleArn(arn)) throw new ServiceError('InvalidParameter.ResouceError');
  const found = findRole(arn, accounts);
  if (found === null) throw new ServiceError('ResourceNotFound.RoleNotFound');
  return found;
}

/** Both names of a role that the resource of a policy can have. */
function roleArns({ account, role }: RoleOfAccount): readonly string[] {
  return [
    `qcs::cam::uin/${account.uin}:roleName/${role.name}`,
    `qcs::cam::uin/${account.uin}:role/${role.id}`,
  ];
}

/**
 * Opens a session of a role. Returns the answer with its temporary keys.
 *
 * @throws ServiceError for an invalid RoleSessionName, DurationSeconds or Policy
 */
export function answerWithSession(
  parameters: Parameters,
  role: RoleOfAccount,
  { state, nowMs, clientNowMs }: PublicContext,
): Readonly<Record<string, unknown>> {
  const name = required(stringOf(parameters, 'RoleSessionName'), 'RoleSessionName');
  const isName = /^[\w+=,.@-]{2,128}$/.test(name);
  check(isName, 'InvalidParameter.ParamError', 'RoleSessionName is malformed.');
  const seconds = integerOf(parameters, 'DurationSeconds') ?? defaultSeconds;
  if (seconds < 1) throw new ServiceError('InvalidParameter.ParamError');
  const policies = sessionPolicies(stringOf(parameters, 'Policy'));
  const durationMs = seconds * 1_000;
  check(durationMs <= msOf(role.role.max_session), 'InvalidParameter.OverTimeError');
  const session = state.keys.openSession(role, { name, policies, durationMs, nowMs });
  return {
    Credentials: {
      Token: session.token,
      TmpSecretId: session.secret_id,
      TmpSecretKey: session.secret_key,
    },
    ...expiryFields(clientNowMs + durationMs),
  };
}

/**
 * The policy that a session is narrowed down to: JSON, percent-encoded or not.
 *
 * @throws ServiceError when it cannot be read
 */
function sessionPolicies(text: string | null): readonly Policy[] {
  if (text === null) return [];
  try {
    return [policySchema.parse(JSON.parse(decodeURIComponent(text)))];
  } catch {
    throw new ServiceError('InvalidParameter.StrategyFormatError');
  }
}

/**
 * The fields for the end of a session, which clients compare with their own clocks. STS and the metadata service use
 * it.
 */
export function expiryFields(clientUntilMs: number): { ExpiredTime: number; Expiration: string } {
  const ExpiredTime = Math.floor(clientUntilMs / 1_000);
  return { ExpiredTime, Expiration: isoSeconds(clientUntilMs) };
}
