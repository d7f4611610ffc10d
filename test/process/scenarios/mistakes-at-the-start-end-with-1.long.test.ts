/** A port that is taken, a wrong flag, a missing file: the program says what to do, and exits with 1. */
import { expect, test } from 'vitest';
import { configOf, run, spawnDaemon, startDaemon } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

test('A port that is taken is named, and the daemon ends with 1', async () => {
  const service = await startService('ap-guangzhou');
  const config = configOf(service, {});
  const first = await startDaemon({ config });
  const { host } = new URL(await first.url());

  const second = await spawnDaemon({ config, flags: [`--web.listen-address=${host}`] });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.everything()).toContain(host);
});

test.each([
  ['an unknown flag', 'serve', ['--confg.file=config.yaml'], 'Did you mean --config.file?'],
  [
    'an unknown flag with a space',
    'serve',
    ['--confg.file', 'c.yaml'],
    'Did you mean --config.file?',
  ],
  ['an unknown command', 'sreve', [], 'Did you mean serve?'],
  ['a missing flag', 'serve', [], '--config.file'],
  ['a wrong value', 'serve', ['--config.file=x', '--log.level=loud'], 'loud'],
  ['a wrong address', 'serve', ['--config.file=x', '--web.listen-address=here'], 'here'],
])(
  '%s is an error that names the right one, and how to get help',
  async (_what, command, flags, word) => {
    const { code, stdout, stderr } = await run(command, { flags });

    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(word);
    expect(stderr).toContain('Help: cvm-quota-monitor');
  },
);

test.each(['serve', 'check', 'check-config', 'print-policy'])(
  '%s names a configuration file that is not there',
  async (command) => {
    const { code, stderr, stdout } = await run(command, {
      flags: ['--config.file=/nowhere/config.yaml'],
    });

    expect(code).toBe(command === 'check' ? 3 : 1);
    expect(stdout + stderr).toContain('/nowhere/config.yaml');
  },
);

test('--help and --version of every command end with 0', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  for (const command of [
    'serve',
    'demo',
    'check',
    'check-config',
    'emulate',
    'print-policy',
    'init',
  ]) {
    expect(stdout).toContain(command);
  }
  const version = await run('--version');
  expect(version.code).toBe(0);
  expect(version.stdout).toMatch(/\d+\.\d+\.\d+/);
  expect((await run('serve', { flags: ['--help'] })).stdout).toContain('--storage.path');
});
