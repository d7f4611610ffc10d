import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mainFile, runCommand, startCommand, startProgram } from '../helpers/command-line.ts';
import { temporaryDirectory, temporaryFile } from '../helpers/directories.ts';

const commands = [
  'serve',
  'demo',
  'check',
  'check-config',
  'check-web-config',
  'migrate',
  'emulate',
  'print-policy',
  'init',
  'completion',
];

async function configFile(text: string): Promise<string> {
  return temporaryFile('config.yaml', text);
}

/** The address of a port that is taken until the test has finished. */
async function takenAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * The flags of Node.js with which the file of a module loads for two seconds. That is longer than a process may
 * live after its end began.
 */
async function slowlyLoaded(module: string): Promise<string[]> {
  const directory = await temporaryDirectory();
  const [hooks, registering] = [join(directory, 'hooks.mjs'), join(directory, 'register.mjs')];
  await writeFile(
    hooks,
    `import { setTimeout } from 'node:timers/promises';
    export async function load(url, context, nextLoad) {
      if (url.endsWith('/${module}.js')) await setTimeout(2_000);
      return nextLoad(url, context);
    }`,
  );
  await writeFile(
    registering,
    `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)});`,
  );
  return [`--import=${pathToFileURL(registering).href}`];
}

/** The text of the source map of a built file. It names the sources that the build put into the file. */
const sourcesOf = (file: string) => readFile(`${file}.map`, 'utf8');

const small = 'accounts: [{ name: a, credentials: { type: none }, regions: [ap-x] }]';

describe('check-config', () => {
  test('prints targets, requests and seconds of a cycle, and exits 0', async () => {
    const file = await configFile(
      'accounts: [{ name: a, regions: [ap-x, { name: ap-y, zones: [ap-y-1], launch_templates: [lt-1] }] }]',
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain('a  ap-y  DescribeAccountQuota  zones ap-y-1');
    expect(stdout).toContain('a  ap-y  DescribeLaunchTemplateVersions  lt-1');
    expect(stdout).toMatch(/requests per cycle +3\n/);
    expect(stdout).toMatch(/seconds per cycle +0\.2 at 10 /);
    expect(stdout).toMatch(/^daemons +1 is enough; it needs 0\.1 % of a core and about 101 MiB$/m);
    expect(stdout).not.toContain('warning:');
  });

  test('says how many daemons share the accounts, and that more do not help an account', async () => {
    const regions = Array.from({ length: 30 }, (_, i) => `ap-r${i}`).join(', ');
    const accounts = ['a', 'b', 'c'].map((name) => `{ name: ${name}, regions: [${regions}] }`);
    const often = `poll: { schedule: "* * * * * *" }\naccounts: [${accounts.join(', ')}]`;
    const cluster = 'cluster: { name: c, redis: { url: "redis://r" } }';

    const one = await runCommand('check-config', `--config.file=${await configFile(often)}`);
    const shared = await configFile(`${often}\n${cluster}`);
    const several = await runCommand('check-config', `--config.file=${shared}`);

    expect(one.stdout).toMatch(
      /^daemons +1 is enough; it needs 18 % of a core and about 105 MiB$/m,
    );
    expect(one.stdout).not.toContain('More daemons do not help');
    expect(several.stdout).toMatch(
      /^daemons +1 for the load, 2 if one may fail; together they need 36\.9 % of a core, /m,
    );
    expect(several.stdout).toMatch(/does not fit into 1 s; .+ More daemons do not help/);
  });

  test('warns of a schedule that is too much for one daemon', async () => {
    const regions = Array.from({ length: 30 }, (_, i) => `ap-r${i}`).join(', ');
    const accounts = Array.from({ length: 20 }, (_, i) => `{ name: a${i}, regions: [${regions}] }`);
    const file = await configFile(
      `poll: { schedule: "* * * * * *" }\naccounts: [${accounts.join(', ')}]`,
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^daemons +5 for the load, 6 if one may fail; /m);
    expect(stdout).toContain('warning: one daemon would use more than half of its core');
  });

  test('warns of a cycle that does not fit its schedule, and of figures that go stale between', async () => {
    const regions = Array.from({ length: 30 }, (_, i) => `ap-r${i}`).join(', ');
    const file = await configFile(
      `poll: { schedule: "*/2 * * * * *", stale_after: 1s }\naccounts: [{ name: a, regions: [${regions}] }]`,
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain('warning: a cycle of 3 s');
    expect(stdout).toContain('warning: stale_after (1 s) is not longer than the 2 s');
  });

  test('warns of accounts that share a SecretId, and of a region where nothing is watched', async () => {
    const file = await configFile(
      'accounts: [{ name: a, regions: [ap-x] }, { name: b, quota_types: [], regions: [ap-y, { name: ap-z, launch_templates: [lt-1] }] }]',
    );

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain('warning: the accounts a, b have the same SecretId');
    expect(stdout).toContain('warning: nothing is watched in ap-y of b');
    expect(stdout).not.toContain('nothing is watched in ap-z');
  });

  test('prints the thresholds that apply now, and warns of overrides without effect', async () => {
    const file = await configFile(`thresholds:
  warning: 25%
  overrides:
    - { muted: true, until: 2020-01-31 }
    - { quota_types: [image], warning: 2, critical: 1 }
    - { accounts: [a], zones: [ap-x-1], muted: true, until: 2999-12-31 }
    - { accounts: [b], critical: 5 }
accounts: [{ name: a, regions: [ap-x] }]
`);

    const { code, stdout } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(0);
    expect(stdout).toContain(`
thresholds
  quota_types image  warning 2, critical 1
  accounts a; zones ap-x-1  muted, until 2999-12-31
  accounts b  warning 25%, critical 5
  every other quota  warning 25%, critical 10%
`);
    expect(stdout.match(/^warning: .*$/gm)).toEqual([
      'warning: thresholds.overrides[0] ended with 2020-01-31; remove it',
      'warning: thresholds.overrides[3]: no watched quota has the account b',
    ]);
  });

  test('refuses a SecretKey in place of a variable, and does not repeat it', async () => {
    const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';
    const file = await configFile(
      `accounts: [{ name: a, regions: [ap-x], credentials: { type: environment, secret_key_env: ${secretKey} } }]`,
    );

    const { code, stdout, stderr } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(1);
    expect(stderr).toContain('accounts[0].credentials.secret_key_env: looks like a secret');
    expect(stdout + stderr).not.toContain(secretKey);
  });

  test('exits 1 with every error of the file, each with its place', async () => {
    const file = 'test/fixtures/config/everything-wrong.yaml';
    const expected = await readFile('test/fixtures/config/everything-wrong.txt', 'utf8');

    const { code, stderr } = await runCommand('check-config', `--config.file=${file}`);

    expect(code).toBe(1);
    expect(stderr).toBe(expected.replaceAll(/^/gm, `${file}:`).replace(/[^\n]*$/, ''));
  });
});

describe('print-policy', () => {
  test('allows the operations that the configuration needs, and no other', async () => {
    const quotasOnly = await configFile(small);

    const { stdout } = await runCommand('print-policy', `--config.file=${quotasOnly}`);

    const statement = { action: ['name/cvm:DescribeAccountQuota'], resource: ['*'] };
    expect(JSON.parse(stdout)).toMatchObject([
      { policy: { version: '2.0', statement: [{ effect: 'allow', ...statement }] } },
    ]);
  });
});

describe('serve', () => {
  test('ends with one line for a taken port, which names it and how to choose another', async () => {
    const address = await takenAddress();
    const file = await configFile(small);
    const storage = await temporaryDirectory();

    const { code, stderr } = await runCommand(
      'serve',
      `--config.file=${file}`,
      `--storage.path=${storage}`,
      `--web.listen-address=${address}`,
    );

    expect(code).toBe(1);
    expect(stderr).toBe(
      `cannot listen on ${address}: the port is taken; choose another with --web.listen-address=HOST:PORT\n`,
    );
  });

  test('says why it cannot start, however slowly the code loads that says it', async () => {
    const file = await configFile(small);
    const slowLoading = await slowlyLoaded('explained-error');

    const { code, stderr } = await startProgram(process.execPath, [
      ...slowLoading,
      mainFile,
      'serve',
      `--config.file=${file}`,
      `--storage.path=${await temporaryDirectory()}`,
      `--web.listen-address=${await takenAddress()}`,
    ]).result;

    expect(code).toBe(1);
    expect(stderr).toContain('the port is taken');
  });

  test('exits 1 with the errors of a bad configuration', async () => {
    const file = await configFile('accounts: []');

    const { code, stderr } = await runCommand('serve', `--config.file=${file}`);

    expect(code).toBe(1);
    expect(stderr).toBe(`${file}:1:11: accounts: name at least one account\n`);
  });

  test('needs a configuration', async () => {
    const { code, stderr } = await runCommand('serve');

    expect(code).toBe(1);
    expect(stderr).toContain("required option '--config.file <path>' not specified");
  });
});

describe('emulate', () => {
  test('serves the scenario of the demo until it is stopped', async () => {
    const command = startCommand('emulate', '--web.listen-address=127.0.0.1:0');
    const [, url = ''] = await command.shows(/ url=(\S+)/);

    const response = await fetch(
      `${url}/?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-shanghai`,
    );
    command.signal('SIGTERM');

    expect(await response.json()).toMatchObject({
      Response: { AccountQuotaOverview: { Region: 'ap-shanghai' } },
    });
    expect((await command.result).code).toBe(0);
  });

  test('names a taken port', async () => {
    const address = await takenAddress();

    const { code, stderr } = await runCommand('emulate', `--web.listen-address=${address}`);

    expect(code).toBe(1);
    expect(stderr).toContain(`cannot listen on ${address}: the port is taken`);
  });

  test('records a service, and replays it after the service is gone', async () => {
    const directory = join(await temporaryDirectory(), 'recording');
    const start = async (...flags: string[]) => {
      const command = startCommand('emulate', '--web.listen-address=127.0.0.1:0', ...flags);
      const [, url = ''] = await command.shows(/ url=(\S+)/);
      const ask = async (): Promise<unknown> => {
        const query = 'Action=DescribeRegions&Version=2017-03-12&Region=ap-guangzhou';
        const answer = await fetch(`${url}/?${query}`);
        const body = (await answer.json()) as { Response: Readonly<Record<string, unknown>> };
        return body.Response.TotalCount;
      };
      return { ...command, url, ask };
    };
    const service = await start();
    const recorder = await start(`--record=${directory}`, `--upstream=${service.url}`);
    const recorded = await recorder.ask();
    service.signal('SIGTERM');
    recorder.signal('SIGTERM');
    expect([await service.result, await recorder.result]).toMatchObject([{ code: 0 }, { code: 0 }]);

    const replay = await start(`--replay=${directory}`);

    expect(recorded).toBe(3);
    expect(await replay.ask()).toBe(recorded);
  });

  test.each([
    [['--record=recording'], '--upstream'],
    [['--replay=recording', '--scenario=scenario.yaml'], 'only one of'],
    [['--record=recording', '--upstream=ftp://x'], 'https://'],
    [['--record=recording', '--upstream=https://user:hunter2@x'], 'password'],
    [['--replay=no-such-directory'], 'no-such-directory: the directory cannot be used'],
  ])('refuses %j', async (flags, reason) => {
    const { code, stderr } = await runCommand('emulate', ...flags);

    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/^ +at |hunter2/m);
  });
});

describe('a command', () => {
  test('that does not exist is answered with the one that was meant', async () => {
    const { code, stderr } = await runCommand('serv');

    expect(code).toBe(1);
    expect(stderr).toContain('Did you mean serve?');
  });

  test('refuses an address that is none', async () => {
    const { code, stderr } = await runCommand('emulate', '--web.listen-address=10042');

    expect(code).toBe(1);
    expect(stderr).toContain('Expected HOST:PORT or :PORT, or unix:PATH.');
  });

  test.each([
    ['--config.fil', ['--config.fil', 'config.yaml']],
    ['--config.fil', ['--config.fil=config.yaml']],
  ])('that does not know %s names the flag that was meant', async (flag, args) => {
    const { code, stderr } = await runCommand('serve', ...args);

    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: unknown option '${flag}'\n(Did you mean --config.file?)\nHelp: cvm-quota-monitor serve --help\n`,
    );
  });

  test('is listed by --help', async () => {
    const { code, stdout } = await runCommand('--help');

    expect(code).toBe(0);
    expect(stdout.match(/^ {2}[\w-]+ (?=[[<])/gm)?.map((name) => name.trim())).toEqual([
      ...commands,
      'help',
    ]);
  });

  test.each(['', ...commands])(
    'explains itself with examples that are of this program: %s',
    async (command) => {
      const { code, stdout, stderr } = await runCommand(...[command, '--help'].filter(Boolean));

      const [, examples = ''] = stdout.split('\nExamples:\n');
      expect(code).toBe(0);
      expect(stderr).toBe('');
      expect(stdout).toContain(`Usage: ${`cvm-quota-monitor ${command}`.trim()} [options]`);
      expect(examples).toMatch(new RegExp(`^  # .+\\n  cvm-quota-monitor ${command}`));
    },
  );

  test('is not loaded before it runs: help needs nothing but the command line itself', async () => {
    const loaded = startProgram(process.execPath, [mainFile, '--help'], {
      ...process.env,
      NODE_DEBUG: 'esm',
    });

    const { stderr } = await loaded.result;

    const files = [...new Set(stderr.match(/dist\/(?!.*runtime)[\w/-]+\.js/g))];
    const sources = (await Promise.all(files.map(sourcesOf))).join('\n');
    expect(sources).toContain('commander');
    expect(sources).not.toMatch(
      /emulator\/(?!demo-scenario)|hono|pino|undici|zod|commands\/run\/(?!signals|exit-codes|usage-error)/,
    );
  });

  test.each([
    ['of the image', { CVM_QUOTA_MONITOR_REVISION: '0edae33' }, '0edae33'],
    ['that is unknown', { CVM_QUOTA_MONITOR_REVISION: '' }, 'unknown'],
  ])('prints the version of the package and the revision %s', async (_which, env, revision) => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };

    const { result } = startProgram(process.execPath, [mainFile, '--version'], {
      ...process.env,
      ...env,
    });

    const stdout = `${version} (revision ${revision})\n`;
    expect(await result).toEqual({ code: 0, stdout, stderr: '' });
  });

  test.each(['', 'check'])('prints the same help for -h as for --help: %s', async (command) => {
    const args = [command].filter(Boolean);

    const short = await runCommand(...args, '-h');

    expect(short).toEqual(await runCommand(...args, '--help'));
    expect(short.code).toBe(0);
  });

  test.each([
    ['an unknown command', ['serv'], ''],
    ['an unknown flag', ['check', '--output=json', '--warn=5'], ' check'],
    ['a wrong value', ['check', '--output=xml'], ' check'],
    ['a required flag that is missing', ['serve'], ' serve'],
  ])('ends a usage error with how to get help: %s', async (_what, args, command) => {
    const { code, stderr } = await runCommand(...args);

    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^error: /);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`Help: cvm-quota-monitor${command} --help`);
  });
});
