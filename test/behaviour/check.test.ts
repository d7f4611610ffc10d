/** `check`: what it polls, what it prints, and the exit code, which is 3 where it could not tell. */
import { beforeEach, expect, test } from 'vitest';
import type { RunningEmulator } from '../../src/emulator/emulator.ts';
import { temporaryFile } from '../support/directories.ts';
import { emulate } from '../support/emulator.ts';
import { Samples } from '../support/exposition.ts';
import { runHere } from '../support/in-process.ts';

let emulator: RunningEmulator;
/** Whether the template of launches is muted. */
let muted: boolean;

beforeEach(async () => {
  muted = false;
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
    thresholds: { overrides: muted ? [{ launch_templates: ['lt-web00001'], muted: true }] : [] },
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

const one = [{ regions: ['ap-guangzhou'] }];
const use = (used: number) => {
  emulator.do({ do: 'set-used', region: 'ap-guangzhou', quota_type: 'image', used });
};

test.each([
  [0, 'enough is left', 8, []],
  [1, 'less is left than the warning threshold', 9, []],
  [2, 'less is left than the critical threshold', 10, []],
  [2, 'more is used than the limit', 11, []],
  [0, 'flags lower the thresholds', 9, ['--warn-below=1', '--critical-below=1']],
  [1, 'a flag raises the warning threshold', 1, ['--warn-below=95%']],
  [2, 'flags raise the thresholds', 1, ['--warn-below=95%', '--critical-below=91%']],
])('check exits %i when %s', async (code, _when, used, flags) => {
  use(used);

  expect(await check(one, ...flags)).toMatchObject({ code, stderr: '' });
});

test('check --output=prometheus has the severities by its flags', async () => {
  use(1);

  const { stdout } = await check(one, '--output=prometheus', '--warn-below=95%');

  const severities = stdout.split('\n').filter((line) => line.startsWith('cvm_quota_severity{'));
  expect(severities).toEqual([
    expect.stringMatching(/quota_type="image".*severity="warning",reason="low"\} 1$/),
  ]);
});

test('check exits 3, not 0, when no answer has a quota', async () => {
  // The region has no zone.
  const { code, stdout } = await check([{ ...one[0], quota_types: ['postpaid'] }]);

  expect(code).toBe(3);
  expect(stdout).toMatch(/^UNKNOWN /m);
});

test('check exits 3 when a target fails beside a low quota, and 2 beside a critical one', async () => {
  emulator.faults.add({ region: 'ap-shanghai', effect: 'error', code: 'UnauthorizedOperation' });
  const codes = [];
  for (const used of [1, 9, 10]) {
    use(used);
    codes.push((await check([two[0]!])).code);
  }

  expect(codes).toEqual([3, 3, 2]);
});

test('check ends at its timeout, and what has no answer is unknown', async () => {
  emulator.faults.add({ effect: 'hang' });

  const { code, stdout } = await check(one, '--timeout=1s', '--output=nagios');

  expect(code).toBe(3);
  expect(stdout).toMatch(/^CVM QUOTA UNKNOWN/);
});

test('check has the same figure and exit code in every form, and its verdict last', async () => {
  use(10);
  const [table, json, prometheus, nagios] = [
    await check(one),
    await check(one, '--output=json'),
    await check(one, '--output=prometheus'),
    await check(one, '--output=nagios'),
  ];

  expect([table, json, prometheus, nagios].map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(table.stdout.trim().split('\n').at(-1)).toMatch(/^CRITICAL {2}.*image.*: 0 of 10 images/);
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'critical', quotas: [{ remaining: 0 }] });
  expect(new Samples(prometheus.stdout).value('cvm_quota_remaining')).toBe(0);
  expect(nagios.stdout).toContain("'production/ap-guangzhou/image'=0;");
});

test('check does not count a target with nothing to ask as answered, when the key is wrong', async () => {
  emulator.faults.add({ effect: 'error', code: 'AuthFailure.SecretIdNotFound' });
  const regions = [{ name: 'ap-guangzhou', scaling_groups: [], launch_templates: ['lt-00000001'] }];
  const accounts = [{ launches: true, regions }];

  const { code, stdout } = await check(accounts);
  const { stdout: json } = await check(accounts, '--output=json');

  expect(code).toBe(3);
  expect(stdout).not.toContain('answered completely');
  const { targets } = JSON.parse(json) as { targets: { operation: string }[] };
  expect(targets.map(({ operation }) => operation)).toEqual([
    'DescribeAccountQuota',
    'DescribeLaunchTemplateVersions',
  ]);
});

/** A region with one zone, in which a type sells, and with a template whose version starts these. */
async function emulateLaunches(data: object, stock?: 'WithoutStock') {
  const zone = {
    name: 'ap-seoul-1',
    postpaid: { used: 0, limit: 9 },
    instance_types: [{ type: 'S5.LARGE8', cpu: 2, memory: 8, ...(stock && { stock }) }],
  };
  const vpc = { VpcId: 'vpc-1', SubnetId: 'subnet-he88kvqu' };
  const versions = [
    { version: 1, data: { Placement: { Zone: 'ap-seoul-1' }, VirtualPrivateCloud: vpc, ...data } },
  ];
  const templates = { launch_templates: [{ id: 'lt-web00001', default_version: 1, versions }] };
  const subnets = [{ id: 'subnet-he88kvqu', zone: 'ap-seoul-1', total: 9, available: 9 }];
  const regions = [{ name: 'ap-seoul', zones: [zone], subnets, ...templates }];
  emulator = await emulate({ scenario: { accounts: [{ name: 'both', regions }] } });
}
const region = { name: 'ap-seoul', launch_templates: ['lt-web00001'] };
const judging = { launches: true, quota_types: ['postpaid'], regions: [region] };

test('check prints a launch that is blocked with its reasons, and exits 2', async () => {
  await emulateLaunches({ InstanceType: 'S5.LARGE8' }, 'WithoutStock');

  const { code, stdout } = await check([judging]);

  expect(code).toBe(2);
  expect(stdout).toMatch(/^blocked .*S5\.LARGE8.*\n +sold out/m);
  expect(stdout).toMatch(/^CRITICAL {2}1 launch blocked /m);
});

test.each([
  ['blocked', 'WithoutStock', [], 1],
  ['fine', undefined, [], 0],
  ['fine', undefined, ['--all'], 1],
] as const)(
  'for a launch that is %s, with stock %s, check %j asks for %i prices',
  async (state, stock, args, prices) => {
    await emulateLaunches({ InstanceType: 'S5.LARGE8' }, stock);

    const { stdout } = await check([judging], ...args, '--output=json');

    expect(JSON.parse(stdout)).toMatchObject({ launches: [{ state }] });
    const asked = emulator.requests.list().map(({ operation }) => operation);
    expect(asked.filter((name) => name === 'InquiryPriceRunInstances')).toHaveLength(prices);
  },
);

test('check exits 3 for a type that its only answer lacks', async () => {
  await emulateLaunches({ InstanceType: 'S9.NONE' });

  const { code, stdout } = await check([judging]);

  expect(code).toBe(3);
  expect(stdout).toMatch(/^UNKNOWN {2}.*1 launch not known to succeed .*stock: unknown/m);
});

test('check counts launches that are not judged, with the reason, and exits 3 unless they are muted', async () => {
  await emulateLaunches({ InstanceChargeType: 'CDHPAID' });
  const text =
    /1 launch not judged \(lt-web00001 .*: the charge type CDHPAID has no quota that is read\)/;
  const forms = [await check([judging]), await check([judging], '--output=nagios')];
  const json = await check([judging], '--output=json');

  for (const { code, stdout } of forms) {
    expect(code).toBe(3);
    expect(stdout).toMatch(text);
  }
  expect(forms[0]!.stdout).toMatch(/^not judged .*lt-web00001/m);
  expect(json.code).toBe(3);
  expect(JSON.parse(json.stdout)).toMatchObject({
    status: 'unknown',
    launches: [],
    not_judged: [
      { template_id: 'lt-web00001', reason: 'the charge type CDHPAID has no quota that is read' },
    ],
  });
  muted = true;
  expect(await check([judging])).toMatchObject({ code: 0 });
});

test('check says which parts of launches lack a permission, and exits as without them', async () => {
  await emulateLaunches({ InstanceType: 'S5.LARGE8' });
  for (const operation of ['DescribeDiskConfigQuota', 'DescribeAutoScalingGroups'] as const) {
    emulator.faults.add({ operation, effect: 'error', code: 'UnauthorizedOperation.CamNoAuth' });
  }

  const { code, stdout } = await check([judging]);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^denied +disks /m);
  expect(stdout).toMatch(
    /^FINE .*; disk of 1 launch not asked: no permission; scaling groups not asked: no permission$/m,
  );
});

test('check says that the quota of a launch is not asked for', async () => {
  await emulateLaunches({ InstanceType: 'S5.LARGE8' });
  const asked = await check([judging]);
  const unasked = await check([{ ...judging, quota_types: ['image'] }], '--output=nagios');

  expect(asked.stdout).not.toContain('is not asked for');
  expect(unasked.stdout).toContain('quota of 1 launch is not asked for');
});
