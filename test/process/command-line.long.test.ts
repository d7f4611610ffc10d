import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { mainFile, runCommand, startProgram } from '../support/command-line.ts';

const commands = [
  'serve',
  'demo',
  'check',
  'check-config',
  'check-web-config',
  'emulate',
  'print-policy',
  'init',
  'completion',
];

describe('a command', () => {
  test('that does not exist is answered with the one that was meant', async () => {
    const { code, stderr } = await runCommand('serv');

    expect(code).toBe(1);
    expect(stderr).toContain('Did you mean serve?');
  });

  test('refuses an address that is none', async () => {
    const { code, stderr } = await runCommand('emulate', '--web.listen-address=10042');

    expect(code).toBe(1);
    expect(stderr).toContain('Expected HOST:PORT or :PORT.');
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
