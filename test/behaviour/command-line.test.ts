import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/commands/program.ts';
import { runHere } from '../support/in-process.ts';
import { rowsOf } from '../support/rows.ts';
import { toolkitFile } from '../support/toolkit-client.ts';

const { commands } = await createProgram([]);

test.each(['', ...commands.map((command) => command.name())])(
  '%s --help has examples that are of this program',
  async (command) => {
    const { code, stdout, stderr } = await runHere([command, '--help'].filter(Boolean));

    const [, examples = ''] = stdout.split('\nExamples:\n');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: ${`cvm-quota-monitor ${command}`.trim()} [options]`);
    expect(examples).toMatch(new RegExp(`^  # .+\\n  cvm-quota-monitor ${command}`));
  },
);

test.each([
  ['0edae33', '0edae33'],
  ['', 'unknown'],
])(
  '--version prints the version of the package, and the revision %j of the image as %s',
  async (set, shown) => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };

    const stdout = `${version} (revision ${shown})\n`;
    for (const asked of ['--version', '-v', 'version']) {
      const result = await runHere([asked], { CVM_QUOTA_MONITOR_REVISION: set });
      expect(result).toEqual({ code: 0, stdout, stderr: '' });
    }
  },
);

test('check-web-config says which files are valid, and names every mistake of the others', async () => {
  const bad = toolkitFile('web_config_noAuth_certPath_keyPath_invalid.bad.yml');
  const good = ['web_config_empty.yml', 'web_config_users.good.yml'].map(toolkitFile);

  const { code, stdout, stderr } = await runHere(['check-web-config', bad, ...good]);

  expect(code).toBe(1);
  expect(stderr).toMatch(/:2:14: tls_server_config\.cert_file: .*\n.*:3:13: .*key_file: .*\n/);
  expect(stdout).toBe(good.map((file) => `${file}: valid\n`).join(''));
  expect((await runHere(['check-web-config', ...good])).code).toBe(0);
});

test.each(rowsOf<[string, string[], string]>('commands', 'usage-errors'))(
  '%s %j is a usage error that names the mistake, and how to get help',
  async (command, flags, message) => {
    const { code, stdout, stderr } = await runHere([command, ...flags]);

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Help: cvm-quota-monitor');
  },
);

test.each([
  ['serve', 1],
  ['check', 3],
  ['check-config', 1],
  ['print-policy', 1],
])('%s names a configuration file that is not there, and exits %i', async (command, failure) => {
  const file = '/nowhere/config.yaml';

  const { code, stdout, stderr } = await runHere([command, `--config.file=${file}`]);

  if (command === 'check-config') expect((await runHere([command, file])).stderr).toBe(stderr);
  expect(code).toBe(failure);
  expect(stdout + stderr).toContain(file);
});
