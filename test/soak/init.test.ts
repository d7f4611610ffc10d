import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import {
  mainFile,
  runCommand,
  startAtTerminal,
  startProgram,
  type CommandResult,
  type RunningCommand,
} from '../support/command-line.ts';
import { temporaryDirectory } from '../support/directories.ts';

const image = { used: 1, limit: 10 };
const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';

let emulator: RunningEmulator;
let directory: string;
let file: string;

beforeEach(async () => {
  emulator = await startEmulator({
    scenario: {
      accounts: [
        {
          name: 'production',
          keys: [{ secret_id: 'AKIDexample', secret_key: secretKey }],
          regions: [
            {
              name: 'ap-guangzhou',
              image,
              launch_templates: [
                { id: 'lt-b8v1kcyq', name: 'web: #1', default_version: 1, versions: [1] },
                { id: 'lt-c9w2ldzr', name: 'batch', default_version: 1, versions: [1] },
              ],
            },
            { name: 'ap-seoul', image },
          ],
        },
      ],
    },
  });
  onTestFinished(emulator.close);
  directory = await temporaryDirectory();
  file = join(directory, 'config.yaml');
});

const env = () => ({ TENCENTCLOUD_SECRET_ID: 'AKIDexample', TENCENTCLOUD_SECRET_KEY: secretKey });
const common = () => ['init', `--config.file=${file}`, `--endpoint=${emulator.url}`];

/** Without a terminal. */
function init(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = env(),
): Promise<CommandResult> {
  const path = { PATH: process.env.PATH };
  const all = [mainFile, ...common(), ...args];
  return startProgram(process.execPath, all, { ...path, ...variables }).result;
}

const byFlags = ['--credentials=environment', '--region=ap-guangzhou'];

describe('init by flags', () => {
  test('writes a file that check-config accepts, without a secret, and ends with the code of check', async () => {
    emulator.do({ do: 'set-used', region: 'ap-guangzhou', quota_type: 'image', used: 10 });

    const { code, stdout, stderr } = await init([...byFlags, '--launch-template=lt-b8v1kcyq']);

    const text = await readFile(file, 'utf8');
    expect(stderr).toBe(`${file} is written; this is what check says about it\n`);
    expect(stdout).toMatch(/^CRITICAL {2}1 quota critical: image in ap-guangzhou of production/m);
    expect(code).toBe(2);
    expect(text).toContain('- lt-b8v1kcyq # web: #1\n');
    expect(text).not.toContain('AKIDexample');
    expect(text).not.toContain(secretKey);
    expect((await runCommand('check-config', `--config.file=${file}`)).code).toBe(0);
    expect(await readdir(directory)).toEqual(['config.yaml']);
  });

  test('watches every region and every template', async () => {
    const { code, stdout } = await init([
      '--credentials=environment',
      '--account=staging',
      '--region=all',
      '--launch-template=all',
    ]);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^FINE {2}2 quotas fine, 90 % or more/m);
    expect(await readFile(file, 'utf8')).toMatch(
      /name: staging .*\n(.*\n)*.* {6}launch_templates: all\n/,
    );
  });

  test('names every flag that is missing', async () => {
    const none = await init([]);
    const files = await init(['--credentials=files', '--credentials.secret-id-file=id']);

    expect([none.code, files.code]).toEqual([3, 3]);
    expect(none.stderr).toBe(
      'error: without a terminal, init cannot ask for --credentials, --region\nHelp: cvm-quota-monitor init --help\n',
    );
    expect(files.stderr).toContain('ask for --credentials.secret-key-file, --region\n');
  });

  test.each([
    [['--region=ap-guangzou'], '--region: ap-guangzou: .*; did you mean ap-guangzhou\\?'],
    [['--region=ap-seoul', '--region=all'], '--region: all: '],
    [
      ['--region=ap-guangzhou', '--launch-template=lt-b8v1kcyx'],
      '--launch-template: lt-b8v1kcyx: .*; did you mean lt-b8v1kcyq\\?',
    ],
    [
      ['--region=ap-seoul', '--launch-template=lt-b8v1kcyq'],
      '--launch-template: lt-b8v1kcyq: no region that is watched has this template',
    ],
    [['--region=all', '--launch-template=lt-b8v1kcyq'], '--launch-template: with every region'],
    [['--region=ap-seoul', '--account=a b'], '--account: expected up to 63 letters'],
    [['--region=ap-seoul', '--endpoint=nowhere'], '--endpoint: expected http:// or https://'],
    [['--region=ap-seoul', '--credentials.role=x'], '--credentials.role: '],
    [['--region=ap-seoul', `--credentials.secret-key-env=${secretKey}`], '.*looks like a secret'],
  ])('writes nothing for a wrong flag, and says what is wrong: %j', async (args, message) => {
    const { code, stdout, stderr } = await init(['--credentials=environment', ...args]);

    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^error: ${message}`));
    expect(stdout + stderr).not.toContain(secretKey);
    expect(await readdir(directory)).toEqual([]);
  });

  test('writes nothing when the service refuses the credentials, and says what to do', async () => {
    const refused = await init(byFlags, { ...env(), TENCENTCLOUD_SECRET_KEY: 'another' });
    const missing = await init(byFlags, {});

    expect([refused.code, missing.code]).toEqual([3, 3]);
    expect(refused.stderr).toMatch(
      /^error: the regions cannot be listed: AuthFailure.SignatureFailure: .*; the SecretKey does not belong/,
    );
    expect(missing.stderr).toMatch(
      /^error: the regions cannot be listed: Credentials: .*TENCENTCLOUD/,
    );
    expect(await readdir(directory)).toEqual([]);
  });

  test('needs no list of regions to watch a region that is named', async () => {
    emulator.faults.add({
      operation: 'DescribeRegions',
      effect: 'error',
      code: 'UnauthorizedOperation',
    });

    const named = await init(byFlags);
    file = join(directory, 'all.yaml');
    const all = await init(['--credentials=environment', '--region=all']);

    expect(named.code).toBe(0);
    expect(named.stderr).toContain('the regions cannot be listed: UnauthorizedOperation');
    expect(all.code).toBe(3);
    expect(await readdir(directory)).toEqual(['config.yaml']);
  });

  test('writes nothing when templates are wanted that cannot be listed', async () => {
    emulator.faults.add({
      operation: 'DescribeLaunchTemplates',
      effect: 'error',
      code: 'UnauthorizedOperation',
    });

    const { code, stderr } = await init([...byFlags, '--launch-template=all']);

    expect(code).toBe(3);
    expect(stderr).toContain('the launch templates of ap-guangzhou cannot be listed');
    expect(await readdir(directory)).toEqual([]);
  });

  test('watches the quotas of a region that has no launch templates', async () => {
    emulator.faults.add({
      operation: 'DescribeLaunchTemplates',
      region: 'ap-seoul',
      effect: 'error',
      code: 'UnsupportedRegion',
    });

    const { code } = await init([...byFlags, '--region=ap-seoul', '--launch-template=lt-b8v1kcyq']);

    expect(code).toBe(0);
    expect(await readFile(file, 'utf8')).toMatch(/\n {6}- ap-seoul\n$/);
  });
});

describe('init never overwrites', () => {
  test('a link that leads nowhere', async () => {
    await symlink(join(directory, 'nowhere'), file);

    const { code } = await init(byFlags);

    expect(code).toBe(3);
    expect(await readdir(directory)).toEqual(['config.yaml']);
  });

  test('a file that appears while it asks', async () => {
    const command = atTerminal();
    await answer(command, /metrics \[production\]: /, '');
    await answer(command, /Credentials \[default\]: /, '');
    await answer(command, /names with commas \[all\]: /, '');
    await command.shows(/Watch which: all, none \[all\]: /);
    await writeFile(file, 'mine');
    command.type('\r');

    expect((await command.result).code).toBe(3);
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await readdir(directory)).toEqual(['config.yaml']);
  });
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

test('init leaves no part of a file when the disk is full', async () => {
  const command = [process.execPath, mainFile, ...common(), ...byFlags];
  const quoted = command.map((word) => `'${word}'`).join(' ');

  // No file may grow.
  const { code, stderr } = await startProgram('sh', ['-c', `ulimit -f 0; exec ${quoted}`], {
    PATH: process.env.PATH,
    ...env(),
  }).result;

  expect(code).toBe(3);
  expect(stderr).toContain('cannot be written: EFBIG');
  expect(await readdir(directory)).toEqual([]);
});

function atTerminal(args: readonly string[] = []): RunningCommand {
  return startAtTerminal([...common(), ...args], env(), { hasInput: true });
}

/** Answers a question when it is asked. */
async function answer(command: RunningCommand, question: RegExp, text: string): Promise<void> {
  await command.shows(question);
  command.type(`${text}\r`);
}

describe('init at a terminal', () => {
  test('asks for what no flag says, shows what the credentials find, and asks again after a mistake', async () => {
    const command = atTerminal();
    await answer(command, /metrics \[production\]: /, 'not valid');
    await answer(command, /expected up to 63[^]*metrics \[production\]: /, 'staging');
    await answer(command, /Credentials \[default\]: /, 'enviroment');
    await answer(command, /did you mean environment\?[^]*Credentials \[default\]: /, 'environment');
    await answer(command, /Regions: ap-guangzhou, ap-seoul[^]*commas \[all\]: /, 'ap-guangzhou');
    await answer(
      command,
      /ap-guangzhou {2}lt-b8v1kcyq {2}web: #1[^]*IDs with commas \[all\]: /,
      'lt-c9w2ldzr',
    );

    const { code, stdout } = await command.result;

    const text = await readFile(file, 'utf8');
    expect(code).toBe(0);
    expect(stdout).toMatch(/FINE.* {2}.*90 % or more/);
    expect(text).toMatch(/name: staging /);
    expect(text).toMatch(/type: environment\n/);
    expect(text).toMatch(/- name: ap-guangzhou\n +launch_templates:\n +- lt-c9w2ldzr # batch\n$/);
  });

  test('asks for the keys that a type of credentials needs', async () => {
    await writeFile(join(directory, 'id'), 'AKIDexample');
    await writeFile(join(directory, 'key'), secretKey);
    const command = atTerminal(['--account=a', '--region=ap-seoul']);
    await answer(command, /Credentials \[default\]: /, 'files');
    await answer(command, /secret_id_file: /, `AKID${'x'.repeat(32)}`);
    await answer(command, /looks like a secret[^]*secret_id_file: /, join(directory, 'id'));
    await answer(command, /secret_key_file: /, join(directory, 'key'));

    const { code, stdout } = await command.result;

    expect(stdout).toContain('no launch template was found');
    expect(code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain(`secret_id_file: ${join(directory, 'id')}\n`);
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('ends with 130 and writes nothing after %s', async (_what, key) => {
    const command = atTerminal();
    await answer(command, /metrics \[production\]: /, '');
    await command.shows(/Credentials \[default\]: /);
    command.type(key);

    expect((await command.result).code).toBe(130);
    expect(await readdir(directory)).toEqual([]);
  });
});
