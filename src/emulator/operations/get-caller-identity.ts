/** GetCallerIdentity of STS: the account of the key, or the role of a temporary key. */
import { refuseUnknown } from '../protocol/parameters.ts';
import type { CallerContext, Operation } from './operation.ts';

export const getCallerIdentity: Operation<CallerContext> = (
  parameters,
  { account: { uin }, key, state },
) => {
  refuseUnknown(parameters, []);
  const { session } = state.keys.get(key?.secret_id ?? '') ?? {};
  if (session === undefined) {
    const Arn = `qcs::cam::uin/${uin}:uin/${uin}`;
    return { Arn, AccountId: uin, UserId: uin, PrincipalId: uin, Type: 'CAMUser' };
  }
  const { role, name } = session;
  const Arn = `qcs::sts::uin/${uin}:assumed-role/${role.id}`;
  const UserId = `${role.id}:${name}`;
  return { Arn, AccountId: uin, UserId, PrincipalId: uin, Type: 'CAMRole' };
};
