/**
 * AssumeRoleWithWebIdentity of STS: the caller proves its identity by a token of a provider, and needs no key.
 * Tokens are texts of the scenario; the emulator checks no signature of theirs.
 */
import { trusts } from '../../access/policy.ts';
import { refuseUnknown, stringOf } from '../../protocol/parameters.ts';
import { required, ServiceError } from '../../protocol/service-error.ts';
import type { PublicOperation } from '../operation.ts';
import { requestedRole, sessionAnswer } from '../role-session.ts';

export const assumeRoleWithWebIdentity: PublicOperation = (parameters, context) => {
  const names = ['ProviderId', 'WebIdentityToken', 'RoleArn', 'RoleSessionName', 'DurationSeconds'];
  refuseUnknown(parameters, names);
  const providerId = required(stringOf(parameters, 'ProviderId'), 'ProviderId');
  const given = required(stringOf(parameters, 'WebIdentityToken'), 'WebIdentityToken');
  const requested = requestedRole(parameters, context.accounts);
  const { account, role } = requested;
  const provider = account.oidcProviders.get(providerId);
  const known = provider?.tokens.find(({ token }) => token === given);
  if (
    provider === undefined ||
    known === undefined ||
    context.nowMs >= (known.validUntilMs ?? Infinity)
  ) {
    throw new ServiceError('InvalidParameter.WebIdentityTokenError');
  }
  const isTrusted =
    role.trust === null ||
    trusts(role.trust, {
      action: 'name/sts:AssumeRoleWithWebIdentity',
      principal: 'federated',
      names: [`qcs::cam::uin/${account.uin}:oidc-provider/${provider.id}`],
      context: { 'oidc:iss': provider.issuer, 'oidc:aud': provider.audience },
    });
  if (!isTrusted) throw new ServiceError('UnauthorizedOperation');
  return sessionAnswer(parameters, requested, context);
};
