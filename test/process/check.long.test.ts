import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import { mainFile, runAtTerminal, runCommand, startProgram } from '../support/command-line.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { hasProgram } from '../support/programs.ts';
import { Samples } from '../support/samples.ts';

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
  test('takes other thresholds, as shares or counts', async () => {
    leave(9);

    const codes = await Promise.all([
      runCommand('check', fileFlag, '--warn-below=3.12%', '--critical-below=0%'),
      runCommand('check', fileFlag, '--warn-below=3.13%', '--critical-below=0%'),
      runCommand('check', fileFlag, '--warn-below=9', '--critical-below=0'),
      runCommand('check', fileFlag, '--warn-below=10', '--critical-below=0'),
      runCommand('check', fileFlag, '--warn-below=50%', '--critical-below=10'),
    ]).then((results) => results.map(({ code }) => code));

    expect(codes).toEqual([0, 1, 0, 1, 2]);
  });

  test('refuses a critical flag above the warning of the configuration, and polls nothing', async () => {
    const { code, stdout, stderr } = await runCommand('check', fileFlag, '--critical-below=21%');

    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      'error: the critical threshold 21% is above the warning threshold 20%: set --warn-below and --critical-below\nHelp: cvm-quota-monitor check --help\n',
    );
    expect(emulator.requests.total).toBe(0);
  });

  test('exits 3 and names the target that failed, with its code', async () => {
    const { code, stdout } = await runCommand(
      'check',
      await watching('ap-guangzhou', 'ap-atlantis'),
    );

    expect(code).toBe(3);
    expect(stdout).toMatch(/^UNKNOWN {2}1 of 2 targets could not be polled\n/m);
    expect(stdout).toMatch(/\nquotas +ap-atlantis +UnsupportedRegion +/);
  });

  test.each([
    ['no configuration', ['check']],
    ['a configuration that is not there', ['check', '--config.file=/nowhere.yaml']],
    ['an unknown flag', ['check', '--output=json', '--warn=5']],
    ['a threshold that is none', ['check', '--warn-below=lots']],
    ['a threshold above 100', ['check', '--warn-below=101%']],
    ['a threshold that could mean either', ['check', '--warn-below=0.2']],
  ])('exits 3, not 1 as for a warning, for %s', async (_what, args) => {
    const { code, stdout, stderr } = await runCommand(...args);

    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain('    at ');
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

describe('check --output=json', () => {
  test('keeps the reason of a failure in the document, and warns of it on standard error', async () => {
    const flag = await watching('ap-atlantis');

    const { code, stdout, stderr } = await runCommand('check', flag, '--output=json');

    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'unknown',
      quotas: [],
      targets: [{ up: false, failure: { code: 'UnsupportedRegion' } }],
    });
    expect(stderr).toMatch(/level=warn msg="target is failing" .* code=UnsupportedRegion /);
  });
});

describe('check --output=prometheus', () => {
  test('prints the metrics of the records, and none of its own process', async () => {
    leave(20);

    const { code, stdout } = await runCommand(
      'check',
      fileFlag,
      '--output=prometheus',
      '--warn-below=60',
    );

    const samples = new Samples(stdout);
    const { region, zone } = place;
    const labels = { account: 'demo', region, zone, quota_type: 'postpaid', unit: 'instances' };
    expect(code).toBe(2);
    expect(samples.value('cvm_quota_remaining', labels)).toBe(20);
    const warning = { ...labels, severity: 'warning' };
    expect(samples.value('cvm_quota_remaining_threshold', warning)).toBe(60);
    expect(samples.value('cvm_launch_template_default_version', { region })).toBe(1);
    expect(samples.sum('cvm_monitor_target_up')).toBe(2);
    expect(samples.all.map(({ name }) => name)).not.toContainEqual(
      expect.stringMatching(/^(process|nodejs|cvm_monitor_(build|api|cycles))_/),
    );
  });

  test.runIf(hasProgram('promtool', 'prometheus'))('is what promtool accepts', async () => {
    const flag = await watching('ap-guangzhou', 'ap-atlantis');

    const { stdout } = await runCommand('check', flag, '--output=prometheus');

    expect(stdout).toContain('cvm_monitor_poll_failures_total{');
    expect(execFileSync('promtool', ['check', 'metrics'], { input: stdout }).toString()).toBe('');
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
});
