/** `check` at a terminal, in a pipe, and with input that never ends. */
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../support/directories.ts';
import { emulateRegions, setUsed } from '../support/emulator.ts';
import { namedPipe } from '../support/named-pipe.ts';
import { atTerminal, configOf, mainFile, run, startProgram } from '../support/program.ts';

const escape = '\u001b[';

/** A quota of which a tenth is left. */
async function configured() {
  const emulator = await emulateRegions('ap-guangzhou', 'ap-shanghai');
  emulator.do(setUsed('postpaid', 181));
  const config = configOf(emulator, { regions: ['ap-guangzhou', 'ap-shanghai'] });
  return { config, flag: `--config.file=${await temporaryFile('c.yaml', JSON.stringify(config))}` };
}

test('check fails by its exit code when its result could not be written', async () => {
  const { flag } = await configured();
  const line = `'${process.execPath}' '${mainFile}' check '${flag}' > /dev/full`;

  const { code, stderr } = await startProgram('sh', ['-c', line]).result;

  expect(code).toBe(3);
  expect(stderr).toBe('the result cannot be written: ENOSPC: no space left on device, write\n');
});

test('check at a terminal shows how far the polling is, erases that, and paints its table', async () => {
  const { flag } = await configured();

  const { code, stdout } = await atTerminal(['check', flag]).result;

  const [progress = '', table = ''] = stdout.split(/\r\u001b\[2K(?=[^\r]*STATE)/);
  expect(code).toBe(2);
  expect(stripVTControlCharacters(progress)).toContain('1 of 2 targets');
  expect(table).toContain(`${escape}31m█`);
  expect(stripVTControlCharacters(table)).not.toContain('of 2 targets');
});

test('check keeps to the width of the terminal, is plain with NO_COLOR, and without any control on a dumb one', async () => {
  const { flag } = await configured();
  const [{ stdout }, dumb] = await Promise.all([
    atTerminal(['check', flag], { env: { NO_COLOR: '1' } }).result,
    atTerminal(['check', flag], { env: { TERM: 'dumb' } }).result,
  ]);

  const widths = stdout
    .split('\r\n')
    .slice(3)
    .map((line) => line.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  expect(stdout).toContain('█');
  expect(stdout.replaceAll(`${escape}2K`, '')).not.toContain(escape);
  expect(dumb.stdout).toMatch(/^CRITICAL /m);
  expect(dumb.stdout).not.toContain(escape);
});

test('check in a pipe is plain and shows no progress, unless FORCE_COLOR asks for colour', async () => {
  const { config } = await configured();
  const [plain, forced] = await Promise.all([
    run('check', { config }),
    run('check', { config, env: { FORCE_COLOR: '1' } }),
  ]);

  expect(plain.stdout).not.toContain(escape);
  expect([plain.stderr, forced.stderr]).toEqual(['', '']);
  expect(forced.stdout).toContain(escape);
  expect(stripVTControlCharacters(forced.stdout)).toBe(plain.stdout);
});

test('check --timeout bounds standard input that never ends', async () => {
  const flags = ['--config.file=-', '--timeout=1s'];

  expect(await run('check', { flags, input: null })).toEqual({
    code: 3,
    stdout: '',
    stderr: '<stdin>: the configuration cannot be read within --timeout\n',
  });
});

test('check ends although a file never answers, and has said so before', async () => {
  const pipe = join(await temporaryDirectory(), 'pipe');
  await namedPipe(pipe);
  const credentials = { type: 'files', secret_id_file: pipe, secret_key_file: pipe };
  const config = configOf(await emulateRegions('ap-guangzhou'), { account: { credentials } });
  const nagios = '--output=nagios';

  const [unread, secret] = await Promise.all([
    run('check', { flags: [`--config.file=${pipe}`, '--timeout=3s', nagios] }),
    run('check', { config, flags: [nagios] }),
  ]);

  expect(unread.stdout).toBe(
    `CVM QUOTA UNKNOWN: ${pipe}: the configuration cannot be read within --timeout\n`,
  );
  expect(secret.stdout).toMatch(/^CVM QUOTA UNKNOWN: 1 of 1 target could not be polled; /);
  expect(secret.code).toBe(3);
});
