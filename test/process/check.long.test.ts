import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import { mainFile, runAtTerminal, runCommand, startProgram } from '../support/command-line.ts';
import { temporaryDirectory } from '../support/directories.ts';

const escape = '\u001b[';
const place = { region: 'ap-guangzhou', zone: 'ap-guangzhou-3', quota_type: 'postpaid' } as const;

let emulator: RunningEmulator;
let fileFlag: string;

beforeEach(async () => {
  emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  fileFlag = await watching('{ name: ap-guangzhou, launch_templates: [lt-b8v1kcyq] }');
});

async function watching(...regions: string[]): Promise<string> {
  const file = join(await temporaryDirectory(), 'config.yaml');
  await writeFile(
    file,
    `api: { endpoint: "${emulator.url}", max_attempts: 1 }
accounts: [{ name: demo, credentials: { type: none }, regions: [${regions.join(', ')}] }]`,
  );
  return `--config.file=${file}`;
}

/** Leaves this much of 288 instances. */
function leave(remaining: number): void {
  emulator.do({ do: 'set-used', ...place, used: 288 - remaining });
}

describe('check', () => {
  test('refuses a critical flag above the warning of the configuration, and polls nothing', async () => {
    const { code, stdout, stderr } = await runCommand('check', fileFlag, '--critical-below=21%');

    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      'error: the critical threshold 21% is above the warning threshold 20%: set --warn-below and --critical-below\nHelp: cvm-quota-monitor check --help\n',
    );
    expect(emulator.requests.total).toBe(0);
  });

  test('fails by its exit code when its result could not be written', async () => {
    const shell = startProgram('sh', [
      '-c',
      `'${process.execPath}' '${mainFile}' check '${fileFlag}' > /dev/full`,
    ]);

    const { code, stderr } = await shell.result;

    expect(code).toBe(3);
    expect(stderr).toBe('the result cannot be written: ENOSPC: no space left on device, write\n');
  });
});

describe('check at a terminal', () => {
  test('shows how far the polling is, erases that, and paints its table', async () => {
    leave(20);

    const { code, stdout } = await runAtTerminal(['check', fileFlag]);

    const [progress = '', table = ''] = stdout.split(/\r\u001b\[2K(?=[^\r]*STATE)/);
    expect(code).toBe(2);
    expect(stripVTControlCharacters(progress)).toContain('1 of 2 targets');
    expect(table).toContain(`${escape}31m█`);
    expect(stripVTControlCharacters(table)).not.toContain('of 2 targets');
  });

  test('keeps to its width', async () => {
    const { stdout } = await runAtTerminal(['check', fileFlag], { NO_COLOR: '1' });

    const widths = stdout
      .split('\r\n')
      .slice(3)
      .map((line) => line.length);

    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });

  test('is plain with NO_COLOR, and without any control on a dumb terminal', async () => {
    const [noColor, dumb] = await Promise.all([
      runAtTerminal(['check', fileFlag], { NO_COLOR: '1' }),
      runAtTerminal(['check', fileFlag], { TERM: 'dumb' }),
    ]);

    expect(noColor.stdout).toContain('█');
    expect(noColor.stdout.replaceAll(`${escape}2K`, '')).not.toContain(escape);
    expect(dumb.stdout).toMatch(/^FINE /m);
    expect(dumb.stdout).not.toContain(escape);
  });
});

describe('check in a pipe', () => {
  const inPipe = (env: Record<string, string>) =>
    startProgram(process.execPath, [mainFile, 'check', fileFlag], {
      PATH: process.env.PATH,
      ...env,
    }).result;

  test('is plain and shows no progress, unless FORCE_COLOR asks for colour', async () => {
    const [plain, forced] = await Promise.all([inPipe({}), inPipe({ FORCE_COLOR: '1' })]);

    expect(plain.stdout).not.toContain(escape);
    expect(plain.stderr).toBe('');
    expect(forced.stdout).toContain(escape);
    expect(forced.stderr).toBe('');
    expect(stripVTControlCharacters(forced.stdout)).toBe(plain.stdout);
  });

  test('prints a launch that is blocked with its reasons, and exits 2', async () => {
    emulator.do({ do: 'set-used', ...place, used: 288 });
    const file = join(await temporaryDirectory(), 'config.yaml');
    await writeFile(
      file,
      `api: { endpoint: "${emulator.url}", max_attempts: 1 }
thresholds: { overrides: [{ quota_types: [postpaid], muted: true }] }
accounts:
  - { name: demo, credentials: { type: none }, launches: true, regions: [{ name: ap-guangzhou, instance_types: [{ type: S9.NONE, zones: [ap-guangzhou-3], charge_types: [postpaid] }] }] }`,
    );

    const { code, stdout } = await runCommand('check', `--config.file=${file}`);

    expect(code).toBe(2);
    expect(stdout).toMatch(/^blocked .*S9\.NONE.*postpaid quota: 0 of S9\.NONE.*not offered/m);
    expect(stdout).toMatch(/^CRITICAL {2}1 launch blocked /m);
  });
});
