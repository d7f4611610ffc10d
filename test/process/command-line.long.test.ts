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
    const [, list = ''] = /\nCommands:\n(.*?)\n\n/s.exec(stdout) ?? [];
    expect(list.match(/^ {2}[\w-]+/gm)?.map((name) => name.trim())).toEqual([...commands, 'help']);
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
});
