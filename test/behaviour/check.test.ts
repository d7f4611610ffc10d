/** `check` of a part of the configuration: what it polls, and 3 where it could not tell. */
import { beforeEach, expect, test } from 'vitest';
import type { RunningEmulator } from '../../src/emulator/emulator.ts';
import { temporaryFile } from '../support/directories.ts';
import { runHere } from '../support/in-process.ts';
import { emulate } from '../support/monitor.ts';

let emulator: RunningEmulator;

beforeEach(async () => {
  const regions = ['ap-guangzhou', 'ap-seoul', 'ap-shanghai'].map((name) => ({
    name,
    image: { used: 1, limit: 10 },
  }));
  emulator = await emulate({ scenario: { accounts: [{ name: 'both', regions }] } });
});

async function check(accounts: readonly object[], ...flags: string[]) {
  const defaults = { name: 'production', credentials: { type: 'none' }, quota_types: ['image'] };
  const config = {
    api: { endpoint: emulator.url, max_attempts: 1 },
    accounts: accounts.map((account) => ({ ...defaults, ...account })),
  };
  const file = await temporaryFile('config.yaml', JSON.stringify(config));
  return runHere(['check', `--config.file=${file}`, ...flags]);
}

const two = [
  { name: 'production', regions: ['ap-guangzhou', 'ap-shanghai'] },
  { name: 'staging', regions: ['ap-guangzhou', 'ap-seoul'] },
];

/** What was polled, as `account region`. */
async function polled(accounts: readonly object[], ...flags: string[]) {
  const { code, stdout } = await check(accounts, '--output=json', ...flags);
  const { targets } = JSON.parse(stdout) as { targets: { account: string; region: string }[] };
  return { code, targets: targets.map(({ account, region }) => `${account} ${region}`) };
}

test.each([
  [['--account=staging'], ['staging ap-guangzhou', 'staging ap-seoul']],
  [['--region=ap-guangzhou'], ['production ap-guangzhou', 'staging ap-guangzhou']],
  [['--account=staging', '--region=ap-seoul'], ['staging ap-seoul']],
  [
    ['--region', 'ap-seoul', '--region', 'ap-shanghai'],
    ['production ap-shanghai', 'staging ap-seoul'],
  ],
])('check %j polls nothing but what it names', async (flags, targets) => {
  expect(await polled(two, ...flags)).toEqual({ code: 0, targets });
  expect(emulator.requests.list()).toHaveLength(targets.length);
});

test.each([
  [['--account=stagin'], '--account=stagin selects no target; did you mean staging?'],
  [['--account=other'], '--account=other selects no target; others are production, staging'],
  [
    ['--account=production', '--region=ap-seoul'],
    '--region=ap-seoul selects no target; others are ap-guangzhou, ap-shanghai',
  ],
  [
    ['--critical-below=21%'],
    'the critical threshold 21% is above the warning threshold 20%: set --warn-below and --critical-below',
  ],
])('check %j exits 3 before any request, and says why', async (flags, message) => {
  expect(await check(two, ...flags)).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: ${message}\nHelp: cvm-quota-monitor check --help\n`,
  });
  expect(emulator.requests.total).toBe(0);
});

test('check --region polls that region alone of those that discovery finds', async () => {
  expect(await polled([{ regions: 'all' }], '--region=ap-seoul')).toEqual({
    code: 0,
    targets: ['production ap-guangzhou', 'production ap-seoul'],
  });
  expect(emulator.requests.list().map(({ operation }) => operation)).toEqual([
    'DescribeRegions',
    'DescribeAccountQuota',
  ]);
});

test('check --region exits 3 for a region that discovery does not find, or that offers nothing', async () => {
  emulator.faults.add({ region: 'ap-seoul', effect: 'error', code: 'UnsupportedRegion' });

  const unknown = await check([{ regions: 'all' }], '--region=ap-shanghi');
  const unsupported = await check([{ regions: 'all' }], '--region=ap-seoul');

  expect([unknown.code, unsupported.code]).toEqual([3, 3]);
  expect(unknown.stderr).toContain('did you mean ap-shanghai?');
  expect(unsupported.stderr).toContain('--region=ap-seoul selects no target');
});

test('check exits 3 where every region refuses, and names the account', async () => {
  const operation = 'DescribeAccountQuota';
  emulator.faults.add({ operation, effect: 'error', code: 'UnsupportedRegion' });

  const { code, stdout } = await check([{ regions: 'all' }]);

  expect(code).toBe(3);
  expect(stdout).toContain('UNKNOWN  account production watches quotas, and no answer had one');
});

test('check exits 3 for a selection of templates that matches none, and says so', async () => {
  const region = { name: 'ap-seoul', launch_templates: { names: ['batch'] } };

  const { code, stdout } = await check([{ regions: [region] }]);

  expect(code).toBe(3);
  expect(stdout).toContain('no launch template matches names batch');
});

test('check prints a launch that is blocked with its reasons, and exits 2', async () => {
  const type = { type: 'S9.NONE', zones: ['ap-seoul-1'], charge_types: ['postpaid'] };

  const { code, stdout } = await check([
    { launches: true, regions: [{ name: 'ap-seoul', instance_types: [type] }] },
  ]);

  expect(code).toBe(2);
  expect(stdout).toMatch(/^blocked .*S9\.NONE.*not offered/m);
  expect(stdout).toMatch(/^CRITICAL {2}1 launch blocked /m);
});
