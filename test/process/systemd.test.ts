import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/commands/program.ts';
import { hasProgram } from '../support/programs.ts';

const unit = join(import.meta.dirname, '../../config/systemd/cvm-quota-monitor.service');
const text = readFileSync(unit, 'utf8');

test.runIf(hasProgram('systemd-analyze', 'systemd'))(
  'the systemd unit is accepted by systemd without a warning',
  () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
);

test.runIf(hasProgram('systemd-analyze', 'systemd'))(
  'the systemd unit exposes at most 2.0 of 10, as systemd judges it',
  () => {
    // The exit code is not 0 above the threshold, which is given in tenths.
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toContain('exposure level');
  },
);

test('the systemd unit writes no core dump, and gives its state to the daemon alone', () => {
  expect(text).toMatch(/^LimitCORE=0$/m);
  expect(text).toMatch(/^StateDirectoryMode=0700$/m);
});

test('the systemd unit starts a command with flags that it has', async () => {
  const [, command, ...flags] = /^ExecStart=.* (cvm-quota-monitor) (\w+) (.+)$/m
    .exec(text)!
    .slice(1)
    .join(' ')
    .split(' ');
  const { commands } = await createProgram();
  const serve = commands.find((candidate) => candidate.name() === command);
  const known = serve!.options.map(({ long }) => long);

  for (const flag of flags) expect(known).toContain(flag.split('=')[0]);
});
