import { expect, test } from 'vitest';
import {
  allows,
  trusts,
  type Policy,
  type TrustPolicy,
} from '../../../../src/emulator/scenario/account.ts';

const policyOf = (...statement: object[]) => ({ version: '2.0', statement }) as Policy;
const role = 'qcs::cam::uin/1:roleName/monitor';

test.each<[string, object[], boolean]>([
  ['nothing', [], false],
  ['the action', [{ effect: 'allow', action: 'name/sts:AssumeRole', resource: role }], true],
  [
    'the action without name/',
    [{ effect: 'allow', action: 'sts:AssumeRole', resource: '*' }],
    true,
  ],
  [
    'all actions of the service',
    [{ effect: 'allow', action: ['name/sts:*'], resource: '*' }],
    true,
  ],
  ['another action', [{ effect: 'allow', action: 'name/sts:AssumeRoleX', resource: '*' }], false],
  ['a part of the name', [{ effect: 'allow', action: 'name/sts:Assume', resource: '*' }], false],
  ['another role', [{ effect: 'allow', action: '*', resource: `${role}s` }], false],
  [
    'the action, and denies it for the role',
    [
      { effect: 'allow', action: '*', resource: '*' },
      { effect: 'deny', action: 'name/sts:AssumeRole', resource: role },
    ],
    false,
  ],
])('a policy that allows %s', (_what, statements, expected) => {
  expect(allows(policyOf(...statements), 'name/sts:AssumeRole', [role])).toBe(expected);
});

const request = {
  action: 'name/sts:AssumeRole',
  principal: 'qcs',
  names: ['qcs::cam::uin/1:root'],
  context: { 'sts:external_id': 'external' },
} as const;

test.each<[string, object, boolean]>([
  ['the caller', { principal: { qcs: 'qcs::cam::uin/1:root' } }, true],
  ['another account', { principal: { qcs: 'qcs::cam::uin/11:root' } }, false],
  ['a service of this name', { principal: { service: 'qcs::cam::uin/1:root' } }, false],
  [
    'the caller with its external ID',
    {
      principal: { qcs: '*' },
      condition: { string_equal: { 'sts:external_id': ['other', 'external'] } },
    },
    true,
  ],
  [
    'the caller with another external ID',
    { principal: { qcs: '*' }, condition: { string_equal: { 'sts:external_id': 'other' } } },
    false,
  ],
  [
    'the caller under an unknown condition',
    { principal: { qcs: '*' }, condition: { string_equal: { 'qcs:ip': '127.0.0.1' } } },
    false,
  ],
])('a role that trusts %s', (_whom, parts, expected) => {
  const statement = { effect: 'allow', action: 'name/sts:AssumeRole', ...parts };

  expect(trusts({ version: '2.0', statement: [statement] } as TrustPolicy, request)).toBe(expected);
});
