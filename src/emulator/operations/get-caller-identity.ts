/** GetCallerIdentity of STS: the account of the key, or the role of a temporary key. */
import { refuseUnknown } from '../protocol/parameters.ts';
import type { CallerContext, Operation } from './operation.ts';

export const getCallerIdentity: Operation<CallerContext> = (
  parameters,
  { account: { uin }, key, state },
) => {
  refuseUnknown(parameters, []);
  const { session } = state.keys.get(key?.secret_id ?? '') ?? {};
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
        UserId: `${session.role.id}:${session.name}`,
        PrincipalId: uin,
        Type: 'CAMRole',
      };
};
