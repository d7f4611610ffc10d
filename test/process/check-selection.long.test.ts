/** `check` of a part of the configuration, in a bounded time, and as a Nagios plugin. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import { runCommand, startProgram, mainFile } from '../support/command-line.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { namedPipe } from '../support/named-pipe.ts';

const regionNames = ['ap-guangzhou', 'ap-seoul', 'ap-shanghai'];

let emulator: RunningEmulator;

beforeEach(async () => {
  emulator = await startEmulator({
    scenario: {
      accounts: [
        {
          name: 'both',
          regions: regionNames.map((name) => ({ name, image: { used: 1, limit: 10 } })),
        },
      ],
    },
  });
  onTestFinished(emulator.close);
});

async function configured(...accounts: string[]): Promise<string> {
  const file = join(await temporaryDirectory(), 'config.yaml');
  const all = accounts.map((account) =>
    account.includes('credentials')
      ? `{ quota_types: [image], ${account} }`
      : `{ quota_types: [image], credentials: { type: none }, ${account} }`,
  );
  await writeFile(
    file,
    `api: { endpoint: "${emulator.url}", max_attempts: 1 }\naccounts: [${all.join(', ')}]`,
  );
  return `--config.file=${file}`;
}

const twoAccounts = () =>
  configured(
    'name: production, regions: [ap-guangzhou, ap-shanghai]',
    'name: staging, regions: [ap-guangzhou, ap-seoul]',
  );

/** What was polled, as `account region`. */
async function polled(...args: string[]): Promise<{ code: number | null; targets: string[] }> {
  const { code, stdout } = await runCommand('check', '--output=json', ...args);
  const { targets } = JSON.parse(stdout) as { targets: { account: string; region: string }[] };
  return { code, targets: targets.map(({ account, region }) => `${account} ${region}`) };
}

describe('check --account and --region', () => {
  test.each([
    [['--account=staging'], ['staging ap-guangzhou', 'staging ap-seoul']],
    [['--region=ap-guangzhou'], ['production ap-guangzhou', 'staging ap-guangzhou']],
    [['--account=staging', '--region=ap-seoul'], ['staging ap-seoul']],
    [
      ['--region', 'ap-seoul', '--region', 'ap-shanghai'],
      ['production ap-shanghai', 'staging ap-seoul'],
    ],
    [
      ['--account=staging', '--account=production', '--region=ap-guangzhou'],
      ['production ap-guangzhou', 'staging ap-guangzhou'],
    ],
  ])('poll nothing but what they name: %j', async (args, targets) => {
    expect(await polled(await twoAccounts(), ...args)).toEqual({ code: 0, targets });
    expect(emulator.requests.list()).toHaveLength(targets.length);
  });

  test.each([
    [['--account=stagin'], '--account=stagin selects no target; did you mean staging?'],
    [['--account=other'], '--account=other selects no target; others are production, staging'],
    [['--region=ap-soul'], '--region=ap-soul selects no target; did you mean ap-seoul?'],
    [
      ['--account=production', '--region=ap-seoul'],
      '--region=ap-seoul selects no target; others are ap-guangzhou, ap-shanghai',
    ],
    [
      ['--account=staging', '--region=ap-guangzhou', '--region=eu-moscow'],
      '--region=eu-moscow selects no target; others are ap-guangzhou, ap-seoul',
    ],
  ])('exit 3 for a name that selects nothing, before any request: %j', async (args, message) => {
    const { code, stdout, stderr } = await runCommand('check', await twoAccounts(), ...args);

    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toBe(`error: ${message}\nHelp: cvm-quota-monitor check --help\n`);
    expect(emulator.requests.total).toBe(0);
  });

  test('poll the regions that discovery finds, and only those they name', async () => {
    const flag = await configured('name: production, regions: all');

    expect(await polled(flag, '--region=ap-seoul')).toEqual({
      code: 0,
      targets: ['production ap-guangzhou', 'production ap-seoul'],
    });
    expect(emulator.requests.list().map(({ operation }) => operation)).toEqual([
      'DescribeRegions',
      'DescribeAccountQuota',
    ]);
  });

  test('exit 3 for a region that discovery does not find, or where nothing is offered', async () => {
    const flag = await configured('name: production, regions: all');
    emulator.faults.add({ region: 'ap-seoul', effect: 'error', code: 'UnsupportedRegion' });

    const unknown = await runCommand('check', flag, '--region=ap-shanghi');
    const unsupported = await runCommand('check', flag, '--region=ap-seoul');

    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('did you mean ap-shanghai?');
    expect(unsupported.code).toBe(3);
    expect(unsupported.stderr).toContain('--region=ap-seoul selects no target');
  });
});

describe('check without an answer that has a quota', () => {
  test('exits 3 where every region refuses, and names the account', async () => {
    const flag = await configured('name: production, regions: all');
    emulator.faults.add({
      operation: 'DescribeAccountQuota',
      effect: 'error',
      code: 'UnsupportedRegion',
    });

    const { code, stdout } = await runCommand('check', flag);

    expect(code).toBe(3);
    expect(stdout).toContain('UNKNOWN  account production watches quotas, and no answer had one');
  });

  test('exits 3 for a selection of templates that matches none, and says so', async () => {
    const flag = await configured(
      'name: production, regions: [{ name: ap-seoul, launch_templates: { names: [batch] } }]',
    );

    const { code, stdout } = await runCommand('check', flag);

    expect(code).toBe(3);
    expect(stdout).toContain('no launch template matches names batch');
  });
});

describe('check --timeout', () => {
  test('bounds standard input that never ends', async () => {
    const command = startProgram(
      process.execPath,
      [mainFile, 'check', '--config.file=-', '--timeout=1s'],
      undefined,
      { hasInput: true },
    );

    expect(await command.result).toEqual({
      code: 3,
      stdout: '',
      stderr: '<stdin>: the configuration cannot be read within --timeout\n',
    });
  });

  test('ends although a file never answers, and has said so before', async () => {
    const pipe = join(await temporaryDirectory(), 'pipe');
    await namedPipe(pipe);
    const flag = await configured(
      `name: a, regions: [ap-seoul], credentials: { type: files, secret_id_file: ${pipe}, secret_key_file: ${pipe} }`,
    );

    const [config, secret] = await Promise.all(
      [[`--config.file=${pipe}`, '--timeout=3s'], [flag]].map((flags) =>
        runCommand('check', ...flags, '--output=nagios'),
      ),
    );

    expect(config?.stdout).toBe(
      `CVM QUOTA UNKNOWN: ${pipe}: the configuration cannot be read within --timeout\n`,
    );
    expect(secret?.stdout).toMatch(/^CVM QUOTA UNKNOWN: 1 of 1 target could not be polled; /);
  });
});
