/**
 * AssumeRoleWithWebIdentity of STS: the caller proves its identity by a token of a provider, and needs no key.
 * The scenario lists the tokens, which are compared as text: the emulator verifies no signature of a token.
 */
import { refuseUnknown, stringOf } from '../protocol/parameters.ts';
import { check, required, ServiceError } from '../protocol/service-error.ts';
import { trusts } from '../scenario/policy.ts';
import { answerWithSession, requestedRole } from './assume-role.ts';
import type { Operation, PublicContext } from './operation.ts';

export const assumeRoleWithWebIdentity: Operation<PublicContext> = (parameters, context) => {
  const names = ['ProviderId', 'WebIdentityToken', 'RoleArn', 'RoleSessionName', 'DurationSeconds'];
  refuseUnknown(parameters, names);
  const providerId = required(stringOf(parameters, 'ProviderId'), 'ProviderId');
  const given = required(stringOf(parameters, 'WebIdentityToken'), 'WebIdentityToken');
  const { state, nowMs } = context;
  const requested = requestedRole(parameters, state);
  const { account, role } = requested;
  const provider = account.oidc_providers.find(({ id }) => id === providerId);
  const listed = provider?.tokens.find(({ token }) => token === given);
  const isValid = listed !== undefined && nowMs < state.expiryMs(listed.valid_for);
  check(provider !== undefined && isValid, 'InvalidParameter.WebIdentityTokenError');
  const isTrusted = trusts(role.trust, {
    action: 'name/sts:AssumeRoleWithWebIdentity',
    principal: 'federated',
    names: [`qcs::cam::uin/${account.uin}:oidc-provider/${provider.id}`],
    context: { 'oidc:iss': provider.issuer, 'oidc:aud': provider.audience },
  });
  if (!isTrusted) throw new ServiceError('UnauthorizedOperation');
  return answerWithSession(parameters, requested, context);
};
