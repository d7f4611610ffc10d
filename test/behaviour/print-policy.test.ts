/** `print-policy`, in this process. test/behaviour/credentials-policy.long.test.ts holds the emulator against its policies. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../support/directories.ts';
import { codeBlocks } from '../support/docs/markdown.ts';
import { runHere } from '../support/in-process.ts';

const role = 'qcs::cam::uin/100000000002:roleName/monitor';

async function printed(...flags: readonly string[]) {
  const file = await temporaryFile(
    'config.yaml',
    `accounts:
  - { name: a, credentials: { type: environment }, regions: [ap-seoul] }
  - { name: b, credentials: { type: assume_role, role_arn: "${role}", source: { type: cvm_role } }, regions: all }
`,
  );
  return runHere(['print-policy', `--config.file=${file}`, ...flags]);
}

async function identities(...flags: readonly string[]): Promise<string[]> {
  const { stdout } = await printed('--list', ...flags);
  return (JSON.parse(stdout) as { identity: string }[]).map(({ identity }) => identity);
}

test('print-policy prints only the policies of an account or a role', async () => {
  const key = 'the key in TENCENTCLOUD_SECRET_ID';
  const source = 'the role that is bound to the machine';

  expect(await identities()).toEqual([key, role, source]);
  expect(await identities('--account=a')).toEqual([key]);
  expect(await identities('--account=b')).toEqual([role, source]);
  expect(await identities(`--role=${role}`)).toEqual([role]);
});

test('print-policy prints the policy of one identity as the console takes it, and of several none', async () => {
  const { code, stdout } = await printed('--account=a');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version: '2.0',
    statement: [{ effect: 'allow', action: ['name/cvm:DescribeAccountQuota'], resource: ['*'] }],
  });
  const ofRole = await printed(`--role=${role}`);
  expect(JSON.parse(ofRole.stdout)).toHaveProperty('statement');
  expect(ofRole.stderr).toContain('trust policy');

  const several = await printed();
  expect([several.code, several.stdout]).toEqual([1, '']);
  expect(several.stderr).toMatch(/needs 3 policies \(the key in .*--directory.*--list/);
});

test('print-policy writes a file for each policy, and for who may assume a role', async () => {
  const directory = join(await temporaryDirectory(), 'policies');

  const { code, stdout } = await printed(`--directory=${directory}`);

  const names = [
    'qcs-cam-uin-100000000002-roleName-monitor.policy.json',
    'qcs-cam-uin-100000000002-roleName-monitor.trust.json',
    'the-key-in-TENCENTCLOUD_SECRET_ID.policy.json',
    'the-role-that-is-bound-to-the-machine.policy.json',
    'the-role-that-is-bound-to-the-machine.trust.json',
  ];
  expect(code).toBe(0);
  expect((await readdir(directory)).toSorted()).toEqual(names);
  expect(stdout.trim().split('\n').toSorted()).toEqual(names.map((name) => join(directory, name)));
  for (const name of names)
    expect(JSON.parse(await readFile(join(directory, name), 'utf8'))).toHaveProperty('statement');
  expect((await printed('--directory=/etc/hostname')).code).toBe(1);
});

test('print-policy writes a file of its own for each of two keys whose paths differ in punctuation', async () => {
  const directory = await temporaryDirectory();
  const account = (name: string, path: string) =>
    `  - { name: ${name}, credentials: { type: files, secret_id_file: ${path}, secret_key_file: /k }, regions: [ap-seoul] }\n`;
  const file = await temporaryFile(
    'config.yaml',
    `accounts:\n${account('a', '/keys/id')}${account('b', '/keys-id')}`,
  );

  await runHere(['print-policy', `--config.file=${file}`, `--directory=${directory}`]);

  expect((await readdir(directory)).toSorted()).toEqual([
    'the-key-in-keys-id-2.policy.json',
    'the-key-in-keys-id.policy.json',
  ]);
});

test('print-policy prints one policy without a file, for what the flags name', async () => {
  const actionsOf = async (...flags: readonly string[]) => {
    const { code, stdout } = await runHere(['print-policy', ...flags]);
    expect(code).toBe(0);
    const { statement } = JSON.parse(stdout) as { statement: { action: string[] }[] };
    return statement.flatMap(({ action }) => action);
  };

  expect(await actionsOf('--all-regions')).toEqual([
    'name/cvm:DescribeAccountQuota',
    'name/cvm:DescribeRegions',
  ]);
  expect(await actionsOf('--all-regions', '--all-templates', '--launches')).toEqual(
    expect.arrayContaining([
      'name/cvm:DescribeAccountQuota',
      'name/cvm:DescribeLaunchTemplates',
      'name/cvm:DescribeLaunchTemplateVersions',
      'name/cvm:DescribeRegions',
    ]),
  );
});

test.each([
  ['all', {}, ['AutoScalingActivities', 'AutoScalingGroups', 'LaunchConfigurations']],
  ['no', { scaling_groups: [], instance_types: ['S5.LARGE8'] }, []],
])('with %s scaling groups, print-policy allows %j to ask for %j', async (_which, keys, names) => {
  const region = { name: 'ap-seoul', ...keys };
  const account = { name: 'a', credentials: { type: 'none' }, launches: true, regions: [region] };
  const file = await temporaryFile('config.yaml', JSON.stringify({ accounts: [account] }));

  const { stdout } = await runHere(['print-policy', `--config.file=${file}`]);

  const found = [...stdout.matchAll(/"name\/as:Describe(.*)"/g)].map(([, name = '']) => name);
  expect(found.toSorted()).toEqual(names);
});

test.each([
  ['nothing to go by', [], 'name the configuration with --config.file'],
  ['a file and flags that replace it', ['--config.file=x', '--all-regions'], 'or say without one'],
  ['an account without a file', ['--all-regions', '--account=a'], '--config.file, which --account'],
  ['a list without a file', ['--all-regions', '--list'], '--config.file, which --account'],
])('print-policy refuses %s', async (_what, flags, message) => {
  const { code, stderr } = await runHere(['print-policy', ...flags]);

  expect(code).toBe(1);
  expect(stderr).toContain(message);
});

test.each([['--account=c'], ['--role=x']])(
  'print-policy refuses %s, which selects nothing',
  async (flag) => {
    await expect(identities(flag)).rejects.toThrow();
  },
);

test('print-policy prints the policy of README.md with the flags that it names', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, flags = ''] = /print-policy ((?:--[\w-]+ ?)+)/.exec(readme) ?? [];
  const block = codeBlocks(readme).find(({ language }) => language === 'json');
  const actionsOf = (text: string) => {
    const { statement } = JSON.parse(text) as { statement: { action: string[] }[] };
    return statement.flatMap(({ action }) => action).toSorted();
  };

  const { stdout } = await runHere(['print-policy', ...flags.trim().split(' ')]);

  expect(actionsOf(stdout)).toEqual(actionsOf(block?.text ?? ''));
});
