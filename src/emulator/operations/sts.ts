/**
 * The operations of STS: AssumeRole, AssumeRoleWithWebIdentity and GetCallerIdentity. Not published, so we chose: a
 * caller that the role does not trust, a wrong ExternalId and a caller without the permission all get
 * UnauthorizedOperation. The parameters Tags, SourceIdentity, SerialNumber and TokenCode are not served. The scenario
 * lists the web identities, which are compared as text: the emulator verifies no signature of a token.
 */
import type { ParameterTypes } from '../protocol/parameters.ts';
import { check, required, ServiceError } from '../protocol/service-error.ts';
import {
  findRole,
  roleArnPattern,
  roleArns,
  type Role,
  type RoleOfAccount,
} from '../scenario/account.ts';
import { allows, policySchema, trusts, type Policy } from '../scenario/policy.ts';
import { msOf } from '../../validation/duration.ts';
import type { EmulatorState } from '../state/state.ts';
import {
  operation,
  withoutParameters,
  type CallerContext,
  type PublicContext,
} from './operation.ts';
import { openSession } from './session.ts';

const defaultSeconds = 7_200;

/** The parameters of both ways to assume a role. */
const sessionFields = ({ text, integer }: ParameterTypes) => ({
  RoleArn: text,
  RoleSessionName: text,
  DurationSeconds: integer,
});
export const assumeRole = operation(
  (types) => ({ ...sessionFields(types), ExternalId: types.text, Policy: types.text }),
  ({ RoleArn, ExternalId, Policy: text, ...given }, context: CallerContext) => {
    const { account, key, state } = context;
    const requested = requestedRole(RoleArn, state);
    const roleNames = roleArns(requested.account, requested.role);
    // A caller without a key, or whose key has no policy, may assume every role that trusts it.
    const isPermitted = (key?.policies ?? []).every((policy) =>
      allows(policy, 'name/sts:AssumeRole', roleNames),
    );
    const isTrusted = trusts(requested.role.trust, {
      action: 'name/sts:AssumeRole',
      principal: 'qcs',
      name: `qcs::cam::uin/${account.uin}:root`,
      context: { 'sts:external_id': ExternalId ?? null },
    });
    const message = 'You are not authorized to perform the operation sts:AssumeRole on this role.';
    check(isPermitted && isTrusted, 'UnauthorizedOperation', message);
    const policies = text === undefined ? [] : [readPolicy(text)];
    const session = sessionOf(requested.role, given.RoleSessionName, given.DurationSeconds);
    return openSession(context, requested, { ...session, policies });
  },
);

export const assumeRoleWithWebIdentity = operation(
  (types) => ({ ...sessionFields(types), ProviderId: types.text, WebIdentityToken: types.text }),
  ({ RoleArn, ProviderId, WebIdentityToken, ...given }, context: PublicContext) => {
    const { state } = context;
    const providerId = required(ProviderId, 'ProviderId');
    const webToken = required(WebIdentityToken, 'WebIdentityToken');
    const requested = requestedRole(RoleArn, state);
    const { account, role } = requested;
    const provider = account.oidc_providers.find(
      ({ id, tokens }) => id === providerId && tokens.includes(webToken),
    );
    check(provider !== undefined, 'InvalidParameter.WebIdentityTokenError');
    const isTrusted = trusts(role.trust, {
      action: 'name/sts:AssumeRoleWithWebIdentity',
      principal: 'federated',
      name: `qcs::cam::uin/${account.uin}:oidc-provider/${provider.id}`,
      context: { 'oidc:iss': provider.issuer, 'oidc:aud': provider.audience },
    });
    check(isTrusted, 'UnauthorizedOperation');
    const session = sessionOf(role, given.RoleSessionName, given.DurationSeconds);
    return openSession(context, requested, session);
  },
);

/** Answers the account of the key, or the role of a temporary key. */
export const getCallerIdentity = withoutParameters(({ account: { uin }, key }: CallerContext) => {
  if (key?.session === undefined) {
    const Arn = `qcs::cam::uin/${uin}:uin/${uin}`;
    return { Arn, AccountId: uin, UserId: uin, PrincipalId: uin, Type: 'CAMUser' };
  }
  const { role, name } = key.session;
  const Arn = `qcs::sts::uin/${uin}:assumed-role/${role.id}`;
  const UserId = `${role.id}:${name}`;
  return { Arn, AccountId: uin, UserId, PrincipalId: uin, Type: 'CAMRole' };
});

/**
 * Finds the role that the parameter RoleArn names.
 *
 * @throws ServiceError when the name is malformed, or there is no such role
 */
function requestedRole(RoleArn: string | undefined, { accounts }: EmulatorState): RoleOfAccount {
  const arn = required(RoleArn, 'RoleArn');
  // The service spells the code so.
  check(roleArnPattern.test(arn), 'InvalidParameter.ResouceError');
  const found = findRole(arn, accounts);
  check(found !== undefined, 'ResourceNotFound.RoleNotFound');
  return found;
}

/**
 * The name and the duration of a session that a request asks for.
 *
 * @throws ServiceError for an invalid RoleSessionName or DurationSeconds
 */
function sessionOf(role: Role, sessionName: string | undefined, seconds = defaultSeconds) {
  const name = required(sessionName, 'RoleSessionName');
  const isName = /^[\w+=,.@-]{2,128}$/.test(name);
  check(isName, 'InvalidParameter.ParamError', 'RoleSessionName is malformed.');
  check(seconds >= 1, 'InvalidParameter.ParamError');
  const durationMs = seconds * 1_000;
  check(durationMs <= msOf(role.max_session), 'InvalidParameter.OverTimeError');
  return { name, durationMs };
}

/**
 * The policy that narrows down what a session may do: JSON, percent-encoded or not.
 *
 * @throws ServiceError when it cannot be read
 */
function readPolicy(text: string): Policy {
  try {
    return policySchema.parse(JSON.parse(decodeURIComponent(text)));
  } catch {
    throw new ServiceError('InvalidParameter.StrategyFormatError');
  }
}
