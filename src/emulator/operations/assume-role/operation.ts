/**
 * AssumeRole of STS. Chosen, because it is not published: a caller that the role does not trust, a wrong
 * ExternalId and a caller without the permission all get UnauthorizedOperation. The parameters Policy, Tags,
 * SourceIdentity, SerialNumber and TokenCode are not served.
 */
import { allows, trusts } from '../../access/policy.ts';
import { refuseUnknown, stringOf } from '../../protocol/parameters.ts';
import { ServiceError } from '../../protocol/service-error.ts';
import { arnsOf } from '../../resources/roles.ts';
import type { IdentityOperation } from '../operation.ts';
import { requestedRole, sessionAnswer } from '../role-session.ts';

export const assumeRole: IdentityOperation = (parameters, context) => {
  refuseUnknown(parameters, ['RoleArn', 'RoleSessionName', 'DurationSeconds', 'ExternalId']);
  const { account, key } = context.caller;
  const requested = requestedRole(parameters, context.accounts);
  const { policy = null } = key ?? {};
  const mayAsk = policy === null || allows(policy, 'name/sts:AssumeRole', arnsOf(requested));
  const { trust } = requested.role;
  const isTrusted =
    trust === null ||
    trusts(trust, {
      action: 'name/sts:AssumeRole',
      principal: 'qcs',
      names: [`qcs::cam::uin/${account.uin}:root`],
      context: { 'sts:external_id': stringOf(parameters, 'ExternalId') },
    });
  if (!mayAsk || !isTrusted) {
    throw new ServiceError(
      'UnauthorizedOperation',
      'You are not authorized to perform the operation sts:AssumeRole on this role.',
    );
  }
  return sessionAnswer(parameters, requested, context);
};
