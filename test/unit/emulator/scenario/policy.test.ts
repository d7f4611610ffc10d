import { expect, test } from 'vitest';
import {
  allows,
  trusts,
  type Policy,
  type TrustPolicy,
} from '../../../../src/emulator/scenario/policy.ts';

const policyOf = (...statement: object[]) => ({ version: '2.0', statement }) as Policy;
const role = 'qcs::cam::uin/1:roleName/monitor';

test.each<[what: string, isAllowed: boolean, statements: object[]]>([
  ['nothing', false, []],
  ['the action', true, [{ effect: 'allow', action: 'name/sts:AssumeRole', resource: role }]],
  [
    'the action without name/',
    true,
    [{ effect: 'allow', action: 'sts:AssumeRole', resource: '*' }],
  ],
  [
    'all actions of the service',
    true,
    [{ effect: 'allow', action: ['name/sts:*'], resource: '*' }],
  ],
  ['another action', false, [{ effect: 'allow', action: 'name/sts:AssumeRoleX', resource: '*' }]],
  ['a part of the name', false, [{ effect: 'allow', action: 'name/sts:Assume', resource: '*' }]],
  ['another role', false, [{ effect: 'allow', action: '*', resource: `${role}s` }]],
  [
    'the action, and denies it for the role',
    false,
    [
      { effect: 'allow', action: '*', resource: '*' },
      { effect: 'deny', action: 'name/sts:AssumeRole', resource: role },
    ],
  ],
])('a policy that allows %s allows what is asked: %s', (_what, expected, statements) => {
  expect(allows(policyOf(...statements), 'name/sts:AssumeRole', [role])).toBe(expected);
});

const request = {
  action: 'name/sts:AssumeRole',
  principal: 'qcs',
  names: ['qcs::cam::uin/1:root'],
  context: { 'sts:external_id': 'external' },
} as const;

test.each<[whom: string, isTrusted: boolean, parts: object]>([
  ['the caller', true, { principal: { qcs: 'qcs::cam::uin/1:root' } }],
  ['another account', false, { principal: { qcs: 'qcs::cam::uin/11:root' } }],
  ['a service of this name', false, { principal: { service: 'qcs::cam::uin/1:root' } }],
  [
    'the caller with its external ID',
    true,
    {
      principal: { qcs: '*' },
      condition: { string_equal: { 'sts:external_id': ['other', 'external'] } },
    },
  ],
  [
    'the caller with another external ID',
    false,
    { principal: { qcs: '*' }, condition: { string_equal: { 'sts:external_id': 'other' } } },
  ],
  [
    'the caller under an unknown condition',
    false,
    { principal: { qcs: '*' }, condition: { string_equal: { 'qcs:ip': '127.0.0.1' } } },
  ],
])('a role that trusts %s may be assumed: %s', (_whom, expected, parts) => {
  const statement = { effect: 'allow', action: 'name/sts:AssumeRole', ...parts };

  expect(trusts({ version: '2.0', statement: [statement] } as TrustPolicy, request)).toBe(expected);
});
