/** `check --launch`: what it polls, what it judges together, and what it refuses. */
import { beforeEach, expect, test } from 'vitest';
import type { RunningEmulator } from '../../src/emulator/emulator.ts';
import { temporaryFile } from '../support/directories.ts';
import { emulate } from '../support/emulator.ts';
import { runHere } from '../support/in-process.ts';
import { startMonitor } from '../support/monitor.ts';

const [region, three, four] = ['ap-guangzhou', 'ap-guangzhou-3', 'ap-guangzhou-4'];
const [large, small] = ['subnet-large001', 'subnet-small001'];

const type = (name: string, more: object = {}) => ({ type: name, cpu: 2, memory: 8, ...more });
const zone = (name: string) => ({
  name,
  postpaid: { used: 70, limit: 100 },
  prepaid: { used: 0, limit: 50, once_limit: 3 },
  spotpaid: { used: 0, limit: 21 },
  instance_types: [
    type('S5.LARGE8'),
    type('S6.LARGE8'),
    type('S5.GONE8', { stock: 'WithoutStock' }),
  ],
});
const data = (InstanceType: string, SubnetId: string) => ({
  ...{ ImageId: 'img-1', InstanceType, Placement: { Zone: three } },
  VirtualPrivateCloud: { VpcId: 'vpc-1', SubnetId },
});
const template = {
  id: 'lt-web00001',
  default_version: 1,
  versions: [
    { version: 1, data: data('S5.LARGE8', small) },
    { version: 2, data: data('S6.LARGE8', large) },
  ],
};
const regions = [
  {
    name: region,
    zones: [zone(three), zone(four)],
    subnets: [
      { id: large, zone: three, total: 253, available: 200 },
      { id: small, zone: three, total: 13, available: 12 },
    ],
    launch_templates: [template],
  },
  { name: 'ap-seoul', zones: [{ name: 'ap-seoul-1' }] },
];
const scenario = { accounts: [{ name: 'production', regions }] };

let emulator: RunningEmulator;
beforeEach(async () => {
  emulator = await emulate({ scenario });
});

const production = {
  ...{ name: 'production', credentials: { type: 'none' as const } },
  regions: [region, 'ap-seoul'],
};

async function checkOf(accounts: readonly object[], args: readonly string[], more: object = {}) {
  const api = { endpoint: emulator.url, max_attempts: 1, proxy: 'none' };
  const file = await temporaryFile('config.yaml', JSON.stringify({ api, accounts, ...more }));
  return runHere(['check', `--config.file=${file}`, ...args]);
}

const check = (...args: string[]) => checkOf([production], args);

// oxlint-disable-next-line typescript/no-explicit-any
async function judged(...sources: string[]): Promise<{ code: number; launches: any[] }> {
  const flags = sources.map((source) => `--launch=${source}`);
  const { code, stdout } = await check('--output=json', `--region=${region}`, ...flags);
  return { code: code ?? NaN, ...JSON.parse(stdout) };
}

test.each([
  ['lt-web00001:12', 0, { state: 'fine', headroom: 12, template_id: 'lt-web00001', version: 1 }],
  ['lt-web00001:13', 2, { state: 'blocked', headroom: 12 }],
  ['lt-web00001@2:13', 0, { state: 'fine', headroom: 30, version: 2, instance_type: 'S6.LARGE8' }],
  [`S5.LARGE8/${three}:30`, 0, { state: 'fine', headroom: 30, charge_type: 'postpaid' }],
  [`S5.LARGE8/${three}:31`, 2, { state: 'blocked', parts: [{ reason: 'quota' }, {}] }],
  [`S5.LARGE8/${three}/spotpaid:10`, 0, { state: 'fine', headroom: 10 }],
  [`S5.LARGE8/${three}/spotpaid:11`, 2, { state: 'blocked', headroom: 10 }],
  [`S5.LARGE8/${three}/prepaid:4`, 2, { state: 'blocked', headroom: 3 }],
  [`S5.LARGE8/${three}/postpaid/${small}:13`, 2, { state: 'blocked', headroom: 12 }],
  [`S5.LARGE8/${four}/postpaid/${small}:1`, 2, { state: 'blocked', headroom: 0 }],
  [`S5.GONE8/${three}:1`, 2, { state: 'blocked', headroom: 0 }],
  [`S9.NONE8/${three}:1`, 3, { state: 'unknown' }],
  [`S5.LARGE8/${three}/postpaid/subnet-none0001:1`, 3, { state: 'unknown' }],
])('check --launch=%s exits %i', async (source, code, launch) => {
  expect(await judged(source)).toMatchObject({ code, launches: [{ source, ...launch }] });
});

test.each([
  ['a quota', [`S5.LARGE8/${three}:20`, `S6.LARGE8/${three}:11`], 'quota', 10],
  ['spot vCPUs', [`S5.LARGE8/${three}/spotpaid:6`, `S6.LARGE8/${three}/spotpaid:5`], 'quota', 4],
  ['a subnet', ['lt-web00001:7', `S6.LARGE8/${three}/postpaid/${small}:6`], 'subnet', 5],
  ['two versions', ['lt-web00001@2:20', 'lt-web00001:11'], 'quota', 10],
] as const)(
  'launches that take of %s are judged together: %j',
  async (_of, sources, reason, holds) => {
    const [first, second] = sources;
    const alone = await judged(second);
    const { code, launches } = await judged(...sources);
    const table = await check(
      ...sources.map((source) => `--launch=${source}`),
      `--region=${region}`,
    );

    expect(alone).toMatchObject({ code: 0 });
    expect(code).toBe(2);
    expect(launches).toMatchObject([
      { source: second, state: 'blocked', headroom: holds },
      { source: first, state: 'fine' },
    ]);
    expect(launches[0].parts).toContainEqual(expect.objectContaining({ reason, holds }));
    expect(table.stdout).toContain(`after ${first}, ${second.split(':')[1]} needed`);
  },
);

test('a launch that is blocked takes nothing of what another one needs', async () => {
  const { launches } = await judged(`S5.LARGE8/${three}:31`, `S6.LARGE8/${three}:30`);

  expect(launches.map(({ source, state }) => [source, state])).toEqual([
    [`S5.LARGE8/${three}:31`, 'blocked'],
    [`S6.LARGE8/${three}:30`, 'fine'],
  ]);
});

test('check --launch polls only what the launches need, in their account', async () => {
  const other = { ...production, name: 'other', regions: ['ap-seoul'] };
  const watching = { ...production, launches: true, regions: [{ name: region, subnets: [large] }] };
  const flags = [`--launch=S5.LARGE8/${three}/postpaid/${small}:1`, '--launch=lt-web00001@2:1'];

  const { code } = await checkOf([watching, other], flags.slice(0, 1));

  expect(code).toBe(0);
  const asked = () => emulator.requests.list().map(({ operation }) => operation);
  expect(asked()).toEqual(expect.arrayContaining(['DescribeAccountQuota', 'DescribeSubnets']));
  expect(asked()).not.toContain('DescribeLaunchTemplateVersions');
  expect(
    emulator.requests
      .list()
      .map(({ parameters }) => JSON.stringify(parameters))
      .join(),
  ).not.toContain(large);
});

test('the verdict about a launch that the daemon watches is that of the daemon', async () => {
  const regionKeys = { name: region, launch_templates: ['lt-web00001'], scaling_groups: [] };
  const account = { ...production, launches: true, regions: [regionKeys] };
  const monitor = await startMonitor({
    scenario,
    config: ({ endpoint }) => ({ api: { endpoint, proxy: 'none' }, accounts: [account] }),
  });
  for (const count of [12, 13]) {
    const answer = await monitor.json(`/api/v1/launches?count=${count}`);
    const { launches } = await judged(`lt-web00001:${count}`);

    const { source, ...own } = launches[0];
    const daemon = JSON.parse(JSON.stringify(answer.launches[0]), (key, value) =>
      key === 'since' || key === 'blocked_since' ? null : value,
    );
    expect(own).toEqual(daemon);
    expect(source).toBe(`lt-web00001:${count}`);
  }
});

test.each([
  ['quotas that are low', { thresholds: { warning: '99%', critical: '98%' } }],
  ['muted', { thresholds: { overrides: [{ launch_templates: ['lt-web00001'], muted: true }] } }],
])('%s do not change what check --launch says', async (_what, more) => {
  const flags = [`--region=${region}`, '--launch=lt-web00001:12'];

  expect(await checkOf([production], flags, more)).toMatchObject({ code: 0 });
  flags[1] = '--launch=lt-web00001:13';
  expect(await checkOf([production], flags, more)).toMatchObject({ code: 2 });
});

test.each([
  [['S5.LARGE8:1'], 'Expected a source'],
  [['lt-web00001'], 'Expected a source'],
  [['lt-web00001:0'], 'Expected a source'],
  [['lt-web00001:501'], 'Expected a source'],
  [['lt-web00001@0:1'], 'Expected a source'],
  [[`S5.LARGE8/${three}/free:1`], 'Expected a source'],
  [[`S5.LARGE8/${three}/postpaid/vpc-1:1`], 'Expected a source'],
  [['vm-1:1'], 'Expected a source'],
  [['S5.LARGE8/ap-tokyo-1:1'], 'no account of the configuration names ap-tokyo'],
  [['lt-web00001:1'], 'may be in ap-guangzhou of production, ap-seoul of production'],
])('check --launch=%j exits 3 before any request', async (sources, message) => {
  const { code, stderr } = await check(...sources.map((source) => `--launch=${source}`));

  expect(code).toBe(3);
  expect(stderr).toContain(message);
  expect(emulator.requests.total).toBe(0);
});

test.each([
  ['two accounts fit', [`--launch=S5.LARGE8/${three}:1`], 3],
  ['one is named', [`--launch=S5.LARGE8/${three}:1`, '--account=production'], 0],
  ['one names the template', ['--launch=lt-web00001:1'], 0],
])('check --launch where %s: %j exits %i', async (_what, flags, code) => {
  const naming = { ...production, regions: [{ name: region, launch_templates: ['lt-web00001'] }] };

  const result = await checkOf([naming, { ...production, name: 'staging' }], flags);

  expect(result.code).toBe(code);
  expect(result.stderr.includes('ap-guangzhou of production, ap-guangzhou of staging')).toBe(
    code === 3,
  );
});

test.each([
  [
    'a version that does not exist',
    ['--launch=lt-web00001@9:1', `--region=${region}`],
    'has no version 9',
  ],
  [
    'a template of another region',
    ['--launch=lt-web00001:1', '--region=ap-seoul'],
    'could not be read',
  ],
])('check --launch of %s exits 3 and says so', async (_what, flags, message) => {
  const { code, stdout } = await check(...flags);

  expect(code).toBe(3);
  expect(stdout).toContain(message);
});

test('check --launch in a discovered region asks for no list of regions', async () => {
  const account = { ...production, regions: 'all' };

  const { code } = await checkOf([account], [`--launch=S5.LARGE8/${three}:1`]);

  expect(code).toBe(0);
  expect(emulator.requests.list().map(({ operation }) => operation)).not.toContain(
    'DescribeRegions',
  );
});
