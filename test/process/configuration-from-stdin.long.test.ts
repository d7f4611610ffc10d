import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../src/emulator/emulator.ts';
import {
  mainFile,
  runCommandWithInput,
  startProgram,
  type RunningCommand,
} from '../support/command-line.ts';
import { temporaryDirectory } from '../support/directories.ts';

const fromStdin = '--config.file=-';
async function emulated(account: string): Promise<string> {
  const emulator = await startEmulator({
    scenario: {
      accounts: [
        {
          name: 'production',
          keys: [{ secret_id: 'id', secret_key: 'key' }],
          regions: [{ name: 'ap-guangzhou', image: { used: 1, limit: 10 } }],
        },
      ],
    },
  });
  onTestFinished(emulator.close);
  return `api: { endpoint: "${emulator.url}", max_attempts: 1 }\naccounts: [${account}]`;
}

/** A daemon whose standard input is still open. */
async function startServe(): Promise<RunningCommand> {
  const args = [
    'serve',
    fromStdin,
    `--storage.path=${await temporaryDirectory()}`,
    '--web.listen-address=127.0.0.1:0',
  ];
  // Node.js says then when it reads standard input.
  const env = { ...process.env, NODE_DEBUG: 'net' };
  return startProgram(process.execPath, [mainFile, ...args], env, { hasInput: true });
}

describe('a configuration from standard input', () => {
  test('is polled by check, with paths that are relative to the working directory', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'id'), 'id');
    await writeFile(join(directory, 'key'), 'key');
    const config = await emulated(
      '{ name: a, credentials: { type: files, secret_id_file: id, secret_key_file: ./key }, quota_types: [image], regions: [ap-guangzhou] }',
    );

    const { code, stdout } = await runCommandWithInput(config, ['check', fromStdin], directory);

    expect(stdout).toMatch(/^FINE {2}1 quota fine, 90 % or more/m);
    expect(code).toBe(0);
  });

  test.each([
    ['check', 3],
    ['check-config', 1],
    ['print-policy', 1],
    ['serve', 1],
  ])('is refused by %s with the line and column of each mistake', async (command, failure) => {
    const input = 'accounts:\n  - name: a\n    regions: [AP]\n';

    const { code, stdout, stderr } = await runCommandWithInput(input, [command, fromStdin]);

    expect(code).toBe(failure);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^<stdin>:3:15: accounts\[0\]\.regions/);
  });

  test('serves a daemon, whose reload says that it cannot be read again', async () => {
    const config = await emulated(
      '{ name: a, credentials: { type: none }, regions: [ap-guangzhou] }',
    );
    const daemon = await startServe();
    daemon.type(config);
    daemon.endInput();
    const [, url = ''] = await daemon.shows(/msg=serving url=(\S+)/);

    daemon.signal('SIGHUP');
    await daemon.shows(
      /msg="configuration not reloaded.*<stdin>: standard input cannot be read again/,
    );
    const metrics = await fetch(`${url}/metrics`).then((response) => response.text());
    daemon.signal('SIGTERM');

    expect(metrics).toContain('\ncvm_monitor_config_last_reload_successful 0\n');
    expect(metrics).toContain('cvm_monitor_target_up{account="a"');
    expect((await daemon.result).code).toBe(0);
  });

  test('that never ends does not delay the stop of a daemon', async () => {
    const daemon = await startServe();
    daemon.type('accounts:\n');

    await daemon.shows(/_handle\.readStart/);
    daemon.signal('SIGTERM');

    const { code, stderr } = await daemon.result;
    expect(code).toBe(0);
    expect(stderr).not.toContain('stopping took too long');
  });
});
