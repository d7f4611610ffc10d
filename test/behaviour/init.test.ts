/** `init` by flags, in this process. test/process/init.long.test.ts runs it at a terminal. */
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RunningEmulator, ScenarioInput } from '../../src/emulator/emulator.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { emulate } from '../support/emulator.ts';
import { calledAs } from '../../src/commands/command.ts';
import { runHere } from '../support/in-process.ts';
import { rowsOf } from '../support/rows.ts';

const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';
const keys = { TENCENTCLOUD_SECRET_ID: 'AKIDexample', TENCENTCLOUD_SECRET_KEY: secretKey };
// As npx sets it, which runs the tests, too.
const env = { ...keys, npm_command: 'exec' };

let emulator: RunningEmulator;
let directory: string;
let file: string;

const scenario = `
accounts:
  - name: production
    keys: [{ secret_id: AKIDexample, secret_key: ${secretKey} }]
    regions:
      - name: ap-guangzhou
        image: { used: 1, limit: 10 }
        zones:
          - name: ap-guangzhou-3
            postpaid: { used: 1, limit: 100 }
            instance_types: [{ type: S5.16XLARGE256, cpu: 64, memory: 256 }]
        subnets: [{ id: subnet-he88kvqu, zone: ap-guangzhou-3, total: 253, available: 99 }]
        launch_templates:
          - { id: lt-b8v1kcyq, default_version: 1, versions: [1] }
          - { id: lt-c9w2ldzr, default_version: 1, versions: [1] }
      - { name: ap-seoul, image: { used: 1, limit: 10 } }
`;

beforeEach(async () => {
  emulator = await emulate({ scenario: parse(scenario) as ScenarioInput });
  directory = await temporaryDirectory();
  file = join(directory, 'config.yaml');
});

const init = (args: readonly string[], variables: Readonly<Record<string, string>> = env) =>
  runHere(['init', `--config.file=${file}`, `--endpoint=${emulator.url}`, ...args], variables);

const byFlags = ['--credentials=environment', '--region=ap-guangzhou'];

test('init writes what is named, without a secret, and ends with the verdict and the next command', async () => {
  emulator.do({ do: 'set-used', region: 'ap-guangzhou', quota_type: 'image', used: 10 });

  const { code, stdout, stderr } = await init([...byFlags, '--launch-template=lt-b8v1kcyq']);

  const text = await readFile(file, 'utf8');
  expect(stderr).toBe(
    `found 1 region: ap-guangzhou\nfound 2 launch templates: lt-b8v1kcyq, lt-c9w2ldzr\n${file} is written; this is what check says about it\n`,
  );
  expect(code).toBe(2);
  expect(stdout.split('\n').slice(-4)).toEqual([
    'CRITICAL  1 quota critical: image in ap-guangzhou of production: 0 of 10 images left (0 %)',
    '',
    `Next: npx cvm-quota-monitor serve --config.file=${file}`,
    '',
  ]);
  expect(text).toMatch(/name: ap-guangzhou\n +launch_templates:\n +- lt-b8v1kcyq\n$/);
  expect(text).not.toContain(secretKey);
  expect(text).toContain('check it with: npx cvm-quota-monitor check-config FILE');
  expect((await runHere(['check-config', `--config.file=${file}`])).code).toBe(0);
  expect(await readdir(directory)).toEqual(['config.yaml']);
});

test('init watches every region and every template', async () => {
  const { code } = await init(['--credentials=environment', '--account=staging', '--region=all']);

  expect(code).toBe(0);
  expect(await readFile(file, 'utf8')).toMatch(
    /name: staging\n(.*\n)*.*# A map without names watches every region .*\n {4}regions:\n +launch_templates: all\n$/,
  );
  expect(new Set(emulator.requests.list().map(({ operation }) => operation))).toEqual(
    new Set([
      'DescribeRegions',
      'DescribeAccountQuota',
      'DescribeLaunchTemplates',
      'DescribeLaunchTemplateVersions',
      'DescribeAutoScalingGroups',
      'DescribeZoneInstanceConfigInfos',
      'DescribeSubnets',
      'DescribeDiskConfigQuota',
    ]),
  );
});

test.each(rowsOf<[string[], string]>('commands', 'wrong-flags-of-init'))(
  'init writes nothing for a wrong flag, and says what is wrong: %j',
  async (args, message) => {
    const given = args.map((arg) => arg.replace('SECRET', secretKey));
    const { code, stdout, stderr } = await init(['--credentials=environment', ...given]);

    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^error: ${message}`, 'm'));
    expect(stdout + stderr).not.toContain(secretKey);
    expect(await readdir(directory)).toEqual([]);
  },
);

const deny = (operation: 'DescribeRegions' | 'DescribeLaunchTemplates') =>
  emulator.faults.add({ operation, effect: 'error', code: 'UnauthorizedOperation' });

test.each([
  ['DescribeRegions', ['--credentials=environment', '--region=all'], 'the regions cannot'],
  ['DescribeLaunchTemplates', byFlags, 'the launch templates of ap-guangzhou cannot'],
] as const)(
  'when the key may not list %s, init prints the policy that it needs',
  async (operation, args, message) => {
    deny(operation);

    const { code, stdout, stderr } = await init(args);

    expect(code).toBe(3);
    expect(stderr).toContain(`error: ${message} be listed: UnauthorizedOperation`);
    const { statement } = JSON.parse(stdout) as { statement: { action: string[] }[] };
    expect(statement.flatMap(({ action }) => action)).toContain(`name/cvm:${operation}`);
    expect(await readdir(directory)).toEqual([]);
  },
);

test('when the service refuses the key, init writes nothing', async () => {
  const refused = { TENCENTCLOUD_SECRET_ID: 'AKIDexample', TENCENTCLOUD_SECRET_KEY: 'another' };

  expect((await init(byFlags, refused)).code).toBe(3);
  expect(await readdir(directory)).toEqual([]);
});

test('when the key may not list regions, init watches those that are named', async () => {
  deny('DescribeRegions');

  expect((await init(byFlags)).code).toBe(0);
});

test('init never overwrites, not even a link that leads nowhere', async () => {
  await symlink(join(directory, 'nowhere'), file);

  const { code, stderr } = await init(byFlags);

  expect(code).toBe(3);
  expect(stderr).toContain('never overwrites');
  expect(await readdir(directory)).toEqual(['config.yaml']);
});

test.each([
  ['is missing', '/nowhere/at/all/config.yaml', 'ENOENT'],
  ['is a file', '/etc/hostname/config.yaml', 'ENOTDIR|is no directory'],
])('init writes nothing when the directory %s', async (_what, path, reason) => {
  file = path;

  const { code, stderr } = await init(byFlags);

  expect(code).toBe(3);
  expect(stderr).toMatch(new RegExp(`^error: ${path} cannot be written: .*(${reason})`));
});

test.each([
  ['npx cvm-quota-monitor', '/clone/node_modules/.bin/cvm-quota-monitor', 'exec'],
  ['node dist/main.js', '/clone/dist/main.js', ''],
  ['cvm-quota-monitor', '/usr/bin/cvm-quota-monitor', ''],
  ['cvm-quota-monitor', '/app/dist/main.js', ''],
])('the next command begins with %s for %s and the command %j of npm', (called, script, npm) => {
  const argv = ['node', script];
  expect(calledAs({ argv, env: { npm_command: npm }, cwd: () => '/clone' })).toBe(called);
});
