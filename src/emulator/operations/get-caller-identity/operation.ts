/** GetCallerIdentity of STS: the account, and the role if the key is a temporary one of a role. */
import { refuseUnknown } from '../../protocol/parameters.ts';
import type { IdentityOperation } from '../operation.ts';

export const getCallerIdentity: IdentityOperation = (parameters, { caller: { account, key } }) => {
  refuseUnknown(parameters, []);
  const { uin } = account;
  const session = account.sessions.get(key?.secretId ?? '');
  return session === undefined
    ? {
        Arn: `qcs::cam::uin/${uin}:uin/${uin}`,
        AccountId: uin,
        UserId: uin,
        PrincipalId: uin,
        Type: 'CAMUser',
      }
    : {
        Arn: `qcs::sts::uin/${uin}:assumed-role/${session.role.id}`,
        AccountId: uin,
        UserId: `${session.role.id}:${session.sessionName}`,
        PrincipalId: uin,
        Type: 'CAMRole',
      };
};
