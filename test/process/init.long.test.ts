/** `init` at a terminal. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { emulate } from '../support/emulator.ts';
import { atTerminal, mainFile, startProgram } from '../support/program.ts';

const secretKey = 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE';

async function setUp() {
  const account = {
    name: 'production',
    keys: [{ secret_id: 'AKIDexample', secret_key: secretKey }],
    regions: [{ name: 'ap-seoul', image: { used: 1, limit: 10 } }],
  };
  const emulator = await emulate({ scenario: { accounts: [account] } });
  const directory = await temporaryDirectory();
  const file = join(directory, 'config.yaml');
  const flags = ['init', `--config.file=${file}`, `--endpoint=${emulator.url}`];
  return { directory, file, flags };
}

function startInit(flags: readonly string[]) {
  const command = atTerminal(flags, { input: null });
  const answer = async (question: RegExp, text: string) => {
    await command.shows(question);
    command.type(`${text}\r`);
  };
  return { ...command, answer };
}

test('init asks for the account, the credentials with their keys, and what is watched', async () => {
  const { directory, file, flags } = await setUp();
  const secrets = await temporaryDirectory();
  await writeFile(join(secrets, 'id'), 'AKIDexample');
  await writeFile(join(secrets, 'key'), secretKey);
  const { answer, result } = startInit(flags);

  await answer(/called in metrics\? \[production\] /, 'not valid');
  await answer(/expected up to 63[^]*metrics\? \[production\] /, 'staging');
  await answer(/credentials come from\? \[default\] /, 'file');
  await answer(/did you mean files\?[^]*come from\? \[default\] /, 'files');
  await answer(/file with the SecretId\? \(secret_id_file\) /, `AKID${'x'.repeat(32)}`);
  await answer(/looks like a secret[^]*\(secret_id_file\) /, join(secrets, 'id'));
  await answer(/\(secret_key_file\) /, join(secrets, 'key'));
  await answer(/names, separated by commas \[all\] /, '');
  const { code, stdout } = await result;

  expect(stdout).toMatch(/found 1 region: ap-seoul[^]*FINE[^]*\nNext: .* serve /);
  expect(code).toBe(0);
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(/name: staging\n[^]*secret_id_file: .*\/id\n/);
  expect(text).toMatch(/every region of the account.*\n +regions:\n +launch_templates: all\n$/);
  expect(await readdir(directory)).toEqual(['config.yaml']);
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('init ends with 130 and writes nothing after %s', async (_what, key) => {
  const { directory, flags } = await setUp();
  const { answer, result, shows, type } = startInit(flags);
  await answer(/metrics\? \[production\] /, '');
  await shows(/come from\? \[default\] /);
  type(key);

  expect((await result).code).toBe(130);
  expect(await readdir(directory)).toEqual([]);
});

test('init leaves no part of a file when the disk is full', async () => {
  const { directory, flags } = await setUp();
  const all = [process.execPath, mainFile, ...flags, '--credentials=environment', '--region=all'];
  const quoted = all.map((word) => `'${word}'`).join(' ');

  // No file may grow.
  const { code, stderr } = await startProgram('sh', ['-c', `ulimit -f 0; exec ${quoted}`], {
    PATH: process.env.PATH,
    TENCENTCLOUD_SECRET_ID: 'AKIDexample',
    TENCENTCLOUD_SECRET_KEY: secretKey,
  }).result;

  expect(code).toBe(3);
  expect(stderr).toContain('cannot be written: EFBIG');
  expect(await readdir(directory)).toEqual([]);
});
