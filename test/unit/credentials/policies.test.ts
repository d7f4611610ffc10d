import { expect, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { accessPolicies } from '../../../src/credentials/policies.ts';

const role = (uin: string, source: object, external_id?: string) => ({
  type: 'assume_role',
  role_arn: `qcs::cam::uin/${uin}:roleName/monitor`,
  source,
  ...(external_id !== undefined && { external_id }),
});

const configOf = (credentials: Readonly<Record<string, object>>) => {
  const accounts = Object.entries(credentials).map(([name, each]) => ({
    name,
    credentials: each,
    regions: ['ap-x'],
  }));
  return parseConfig(JSON.stringify({ accounts }), 'f', collectors);
};

const policiesOf = (credentials: Readonly<Record<string, object>>) =>
  accessPolicies(configOf(credentials).accounts, (account) => [`name/cvm:${account}`]);

const permission = (action: string[], resource = ['*']) => ({ effect: 'allow', action, resource });

test('accounts with one key need one policy for all of them', () => {
  expect(policiesOf({ a: { type: 'environment' }, b: { type: 'environment' } })).toEqual([
    {
      identity: 'the key in TENCENTCLOUD_SECRET_ID',
      accounts: ['a', 'b'],
      policy: { version: '2.0', statement: [permission(['name/cvm:a', 'name/cvm:b'])] },
    },
  ]);
});

test('the operations of unsigned requests are printed, too', () => {
  expect(policiesOf({ a: { type: 'none' } })).toMatchObject([{ identity: 'no credentials' }]);
});

test('the source of roles may assume them and nothing else, unless it watches an account itself', () => {
  const files = { type: 'files', secret_id_file: '/id', secret_key_file: '/key' };
  const roles = { b: role('2', files), c: role('3', files) };
  const assume = permission(
    ['name/sts:AssumeRole'],
    ['qcs::cam::uin/2:roleName/monitor', 'qcs::cam::uin/3:roleName/monitor'],
  );
  const keyOf = (credentials: Readonly<Record<string, object>>) =>
    policiesOf(credentials).find(({ identity }) => identity === 'the key in /id');

  expect(keyOf(roles)).toEqual({
    identity: 'the key in /id',
    accounts: ['b', 'c'],
    policy: { version: '2.0', statement: [assume] },
  });
  expect(keyOf({ a: files, ...roles })).toEqual({
    identity: 'the key in /id',
    accounts: ['a', 'b', 'c'],
    policy: { version: '2.0', statement: [permission(['name/cvm:a']), assume] },
  });
});

test('a role trusts the account of its source, with its external ID', () => {
  const chained = role('2', role('1', { type: 'cvm_role' }), 'external');

  const policies = policiesOf({ a: chained });

  expect(policies.map(({ identity, trust }) => [identity, trust?.statement])).toEqual([
    [
      'qcs::cam::uin/2:roleName/monitor',
      [
        {
          effect: 'allow',
          action: ['name/sts:AssumeRole'],
          principal: { qcs: ['qcs::cam::uin/1:root'] },
          condition: { string_equal: { 'sts:external_id': ['external'] } },
        },
      ],
    ],
    [
      'qcs::cam::uin/1:roleName/monitor',
      [
        {
          effect: 'allow',
          action: ['name/sts:AssumeRole'],
          principal: { qcs: ['qcs::cam::uin/<uin of the role that is bound to the machine>:root'] },
        },
      ],
    ],
    [
      'the role that is bound to the machine',
      [
        {
          effect: 'allow',
          action: ['name/sts:AssumeRole'],
          principal: { service: ['cvm.qcloud.com'] },
        },
      ],
    ],
  ]);
});
