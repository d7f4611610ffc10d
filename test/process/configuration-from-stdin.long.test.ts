import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directories.ts';
import { accountWith, emulateAccounts, emulateRegions, key } from '../support/emulator.ts';
import { configOf, mainFile, run, startProgram, type Running } from '../support/program.ts';

const flags = ['--config.file=-'];

async function startServe(input: string | null): Promise<Running> {
  const args = [
    'serve',
    ...flags,
    `--storage.path=${await temporaryDirectory()}`,
    '--web.listen-address=127.0.0.1:0',
  ];
  // Node.js says then when it reads standard input.
  const env = { ...process.env, NODE_DEBUG: 'net' };
  return startProgram(process.execPath, [mainFile, ...args], env, { input });
}

test('A configuration from standard input is polled by check, with paths relative to the working directory', async () => {
  const keys = [key('id', 'key')];
  const emulator = await emulateAccounts([accountWith('keyed', ['ap-guangzhou'], { keys })]);
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'id'), 'id');
  await writeFile(join(directory, 'key'), 'key');
  const credentials = { type: 'files', secret_id_file: 'id', secret_key_file: './key' };
  const input = JSON.stringify(configOf(emulator, { account: { credentials } }));

  const { code, stdout } = await run('check', { flags, input, directory });

  expect(stdout).toMatch(/^FINE {2}5 quotas fine /m);
  expect(code).toBe(0);
});

test.each([
  ['check', 3],
  ['check-config', 1],
  ['print-policy', 1],
  ['serve', 1],
])(
  '%s refuses standard input with the line and column of each mistake',
  async (command, failure) => {
    const input = 'accounts:\n  - name: a\n    regions: [AP]\n';

    const { code, stdout, stderr } = await run(command, { flags, input });

    expect(code).toBe(failure);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^<stdin>:3:15: accounts\[0\]\.regions/);
  },
);

test('A configuration from standard input serves a daemon, whose reload says that it cannot be read again', async () => {
  const daemon = await startServe(
    JSON.stringify(configOf(await emulateRegions('ap-guangzhou'), {})),
  );
  const [, url = ''] = await daemon.shows(/msg=serving url=(\S+)/);
  await daemon.shows(/msg=polling/);

  daemon.signal('SIGHUP');
  await daemon.shows(
    /msg="configuration not reloaded.*<stdin>: standard input cannot be read again/,
  );
  const metrics = await fetch(`${url}/metrics`).then((response) => response.text());
  daemon.signal('SIGTERM');

  expect(metrics).toContain('\ncvm_monitor_config_last_reload_successful 0\n');
  expect(metrics).toContain('cvm_monitor_target_up{account="production"');
  expect((await daemon.result).code).toBe(0);
});

test('Standard input that never ends does not delay the stop of a daemon', async () => {
  const daemon = await startServe(null);
  daemon.type('accounts:\n');

  await daemon.shows(/_handle\.readStart/);
  daemon.signal('SIGTERM');

  const { code, stderr } = await daemon.result;
  expect(code).toBe(0);
  expect(stderr).not.toContain('stopping took too long');
});
