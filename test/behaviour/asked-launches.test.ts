/** `check --launch`: what it polls, what it judges together, and what it refuses. */
import { beforeEach, expect, test } from 'vitest';
import type { RunningEmulator } from '../../src/emulator/emulator.ts';
import { temporaryFile } from '../support/directories.ts';
import { emulate } from '../support/emulator.ts';
import { runHere } from '../support/in-process.ts';
import { startMonitor } from '../support/monitor.ts';
import { computed, later, planOf, type PlannedResource } from '../support/terraform-plan.ts';

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
  ...{ ImageId: 'img-8toqc6s3', InstanceType, Placement: { Zone: three } },
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
      { id: 'subnet-four0001', zone: four, total: 253, available: 40 },
      { id: 'subnet-full0001', zone: four, total: 253, available: 0 },
      { id: 'subnet-vpc00001', vpc: 'vpc-other', zone: four, total: 253, available: 99 },
    ],
    launch_templates: [template],
    disks: [{ type: 'CLOUD_BSSD' as const, zone: three, availability: 'sold-out' as const }],
    placement_groups: [{ id: 'ps-full0001', limit: 5, used: 5 }],
    launch_configurations: [{ id: 'asc-web00001', instance_types: ['S5.LARGE8'] }],
    scaling_groups: [
      {
        ...{ id: 'asg-web00001', launch_configuration: 'asc-web00001', subnets: [small] },
        ...{ min_size: 0, max_size: 1, desired_capacity: 1, instances: 1 },
      },
      { id: 'asg-off00001', launch_configuration: 'asc-web00001', max_size: 9, enabled: false },
    ],
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
  const api = { endpoint: emulator.url, max_attempts: 1, proxy: 'none', requests_per_second: 20 };
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

const mutes = { overrides: [{ launch_templates: ['lt-web00001'], muted: true }] };
test.each([
  ['fine', 12, {}, 0, ''],
  ['blocked', 13, {}, 2, ''],
  ['muted', 13, mutes, 0, '1 launch muted'],
])(
  'the verdict about a launch that the daemon watches is that of the daemon: %s',
  async (state, count, thresholds, exits, said) => {
    const regionKeys = { name: region, launch_templates: ['lt-web00001'], scaling_groups: [] };
    const account = { ...production, launches: true, regions: [regionKeys] };
    const monitor = await startMonitor({
      scenario,
      config: ({ endpoint }) => {
        return { api: { endpoint, proxy: 'none' }, accounts: [account], thresholds };
      },
    });
    const flags = [`--region=${region}`, `--launch=lt-web00001:${count}`];

    const answer = await monitor.json(`/api/v1/launches?count=${count}`);
    const { code, stdout } = await checkOf([production], [...flags, '--output=json'], {
      thresholds,
    });
    const text = await checkOf([production], flags, { thresholds });

    // Only the daemon knows since when, and each asked for the price by its own clock.
    const timeless = (launch: unknown) =>
      JSON.parse(JSON.stringify(launch).replace(/priced [^"]+/, 'priced'), (key, value) =>
        key === 'since' || key === 'blocked_since' ? null : value,
      );
    const { alternatives: _, source, ...own } = timeless(JSON.parse(stdout).launches[0]);
    expect(own).toEqual(timeless(answer.launches[0]));
    expect({ code, source, state: own.state }).toEqual({
      code: exits,
      source: `lt-web00001:${count}`,
      state,
    });
    expect(text.stdout).toContain(said);
  },
);

test('quotas that are low do not change what check --launch says', async () => {
  const more = { thresholds: { warning: '99%', critical: '98%' } };
  const flags = [`--region=${region}`, '--launch=lt-web00001:12'];

  expect(await checkOf([production], flags, more)).toMatchObject({ code: 0 });
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
    'a scaling group that is disabled',
    ['--launch=asg-off00001:1', `--region=${region}`],
    'is disabled',
  ],
  [
    'a scaling group that does not exist',
    ['--launch=asg-none0001:1', `--region=${region}`],
    'could not be read',
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

/** An instance as the provider plans it: nearly all of it may be set by the service. */
const instance = (values: object = {}): PlannedResource => ({
  type: 'tencentcloud_instance',
  values: {
    ...{
      image_id: 'img-1',
      instance_type: 'S5.LARGE8',
      availability_zone: three,
      subnet_id: small,
    },
    ...{ instance_charge_type: computed, ipv6_address_count: computed, system_disk_type: computed },
    ...{ data_disks: computed, disaster_recover_group_ids: computed, placement_group_id: computed },
    ...{ user_data_raw: 'password=hunter2', password: 'hunter2', id: computed },
    ...values,
  },
});
const worker = (values: object = {}): PlannedResource => ({
  type: 'tencentcloud_kubernetes_scale_worker',
  values: {
    cluster_id: 'cls-1',
    worker_config: [
      {
        ...{ count: 3, instance_type: 'S5.LARGE8', availability_zone: three, subnet_id: small },
        ...{ instance_charge_type: 'POSTPAID_BY_HOUR', system_disk_type: 'CLOUD_PREMIUM' },
        ...{ data_disk: [{ disk_type: 'CLOUD_SSD', disk_size: 50 }], user_data: 'hunter2' },
        ...values,
      },
    ],
  },
});
const pool = (values: object = {}, config: object = {}): PlannedResource => ({
  type: 'tencentcloud_kubernetes_node_pool',
  values: {
    ...{ name: 'p', max_size: 90, min_size: 1, desired_capacity: computed, subnet_ids: [small] },
    auto_scaling_config: [
      {
        ...{ instance_type: 'S5.GONE8', backup_instance_types: ['S5.LARGE8'], password: 'hunter2' },
        ...{ system_disk_type: 'CLOUD_PREMIUM', instance_charge_type: computed, ...config },
      },
    ],
    ...values,
  },
});
const config = (values: object = {}): PlannedResource => ({
  type: 'tencentcloud_as_scaling_config',
  values: {
    ...{ configuration_name: 'c', instance_types: ['S5.LARGE8'], system_disk_type: 'CLOUD_SSD' },
    ...{
      disk_type_policy: 'ORIGINAL',
      disaster_recover_group_ids: computed,
      id: computed,
      ...values,
    },
  },
});
const group = (
  values: object = {},
  references = ['tencentcloud_as_scaling_config.a.id', 'tencentcloud_as_scaling_config.a'],
): PlannedResource => ({
  type: 'tencentcloud_as_scaling_group',
  values: {
    ...{ scaling_group_name: 'g', configuration_id: later, max_size: 90, min_size: 2 },
    ...{ desired_capacity: computed, subnet_ids: [small], zones: undefined, ...values },
  },
  references: { configuration_id: references },
});

async function checkPlan(resources: readonly PlannedResource[], ...flags: string[]) {
  const file = await temporaryFile('plan.json', planOf(resources));
  const { code, stdout, stderr } = await check(`--plan=${file}`, '--output=json', ...flags);
  expect(stdout + stderr).not.toContain('hunter2');
  const json = stdout === '' ? {} : JSON.parse(stdout);
  return { code, stderr, launches: json.launches, not_judged: json.not_judged };
}

const times = (n: number, resource: PlannedResource) =>
  Array.from({ length: n }, (_, index) => ({ ...resource, index }));
const named = 'tencentcloud_instance.a';

test.each<[string, PlannedResource[], number, object]>([
  ['an instance', [instance()], 0, { source: named, state: 'fine', count: 1, headroom: 12 }],
  ['12 instances', times(12, instance()), 0, { source: named, count: 12, charge_type: 'postpaid' }],
  ['13 instances', times(13, instance()), 2, { source: named, count: 13, state: 'blocked' }],
  ['one that is replaced', [{ ...instance(), actions: ['delete', 'create'] }], 0, { count: 1 }],
  ['spot', [instance({ instance_charge_type: 'SPOTPAID' })], 0, { headroom: 10 }],
  [
    'spot in a module',
    [{ ...instance({ instance_charge_type: 'SPOTPAID' }), module: 'module.w["a.b"]' }],
    0,
    { source: 'module.w["a.b"].tencentcloud_instance.a' },
  ],
  [
    'a charge type that is known later',
    [instance({ instance_charge_type: later })],
    3,
    { charge_type: null, state: 'unknown' },
  ],
  [
    'a charge type that is null',
    [instance({ instance_charge_type: null })],
    0,
    { charge_type: 'postpaid' },
  ],
  [
    'a subnet that is known later',
    [instance({ subnet_id: later })],
    3,
    { subnets: null, state: 'unknown' },
  ],
  ['no subnet', [instance({ subnet_id: computed })], 0, { subnets: [], headroom: 30 }],
  ['a type that is known later', [instance({ instance_type: later })], 3, { instance_type: null }],
  [
    'a zone that is known later',
    [instance({ availability_zone: later, subnet_id: computed })],
    3,
    { zone: null },
  ],
  [
    'no zone',
    [instance({ availability_zone: computed, subnet_id: computed })],
    0,
    { zone: '', headroom: 30 },
  ],
  [
    'a zone by its subnet',
    [instance({ availability_zone: computed })],
    0,
    { zone: three, headroom: 12 },
  ],
  [
    'a disk',
    [instance({ system_disk_type: 'CLOUD_SSD' })],
    0,
    { parts: expect.arrayContaining([expect.objectContaining({ part: 'disk', known: true })]) },
  ],
  ['a disk that is known later', [instance({ system_disk_type: later })], 3, { state: 'unknown' }],
  [
    'data disks',
    [instance({ data_disks: [{ data_disk_type: 'CLOUD_BSSD', data_disk_id: computed }] })],
    2,
    { state: 'blocked' },
  ],
  ['data disks that are known later', [instance({ data_disks: later })], 3, { state: 'unknown' }],
  ['a full placement group', [instance({ placement_group_id: 'ps-full0001' })], 2, { headroom: 0 }],
  [
    'full placement groups',
    [instance({ disaster_recover_group_ids: ['ps-full0001'] })],
    2,
    { headroom: 0 },
  ],
  ['IPv6', [instance({ ipv6_address_count: 1 })], 2, { headroom: 0 }],
  [
    'a template that says the rest',
    [instance({ launch_template_id: 'lt-web00001' })],
    3,
    { state: 'unknown' },
  ],
  ['workers', [worker()], 0, { source: 'tencentcloud_kubernetes_scale_worker.a', count: 3 }],
  ['too many workers', [worker({ count: 13 })], 2, { count: 13, headroom: 12 }],
  ['workers of an unknown number', [worker({ count: later })], 3, { count: null }],
  ['workers without a zone', [worker({ availability_zone: undefined })], 0, { zone: three }],
  [
    'workers with a disk that is gone',
    [worker({ data_disk: [{ disk_type: 'CLOUD_BSSD' }] })],
    2,
    { headroom: 0 },
  ],
  [
    'workers with a subnet that is known later',
    [worker({ subnet_id: later })],
    3,
    { subnets: null },
  ],
  [
    'a node pool',
    [pool()],
    0,
    { source: 'tencentcloud_kubernetes_node_pool.a', count: 1, headroom: 12 },
  ],
  ['a node pool with a capacity', [pool({ desired_capacity: 13 })], 2, { count: 13, headroom: 12 }],
  [
    'a node pool whose capacity is known later',
    [pool({ desired_capacity: later })],
    3,
    { count: null },
  ],
  [
    'a node pool of a type that is sold out',
    [pool({}, { backup_instance_types: undefined })],
    2,
    { state: 'blocked' },
  ],
  [
    'a node pool whose subnets are known later',
    [pool({ subnet_ids: later })],
    3,
    { state: 'unknown' },
  ],
  [
    'a scaling group',
    [config(), group()],
    0,
    { source: 'tencentcloud_as_scaling_group.a', count: 2, headroom: 12 },
  ],
  [
    'a scaling group with a capacity',
    [config(), group({ desired_capacity: 13 })],
    2,
    { count: 13 },
  ],
  [
    'a scaling group of spot',
    [config({ instance_charge_type: 'SPOTPAID' }), group({ desired_capacity: 11 })],
    2,
    { headroom: 10 },
  ],
  [
    'a scaling group with a disk that is gone',
    [config({ system_disk_type: 'CLOUD_BSSD' }), group()],
    2,
    { headroom: 0 },
  ],
  [
    'a scaling group that takes another disk',
    [config({ system_disk_type: 'CLOUD_BSSD', disk_type_policy: 'AUTOMATIC' }), group()],
    0,
    { headroom: 12 },
  ],
  [
    'a scaling group whose types are known later',
    [config({ instance_types: later }), group()],
    3,
    { state: 'unknown' },
  ],
  [
    'a scaling group without its configuration',
    [group({ configuration_id: 'asc-other001' })],
    3,
    { state: 'unknown' },
  ],
  [
    'a scaling group of a configuration that exists',
    [
      { ...config({ id: 'asc-old00001' }), actions: ['no-op'] },
      group({ configuration_id: 'asc-old00001' }),
    ],
    0,
    { headroom: 12 },
  ],
  [
    'a scaling group of one of two configurations',
    [
      { ...config({ instance_types: ['S5.GONE8'] }), index: 0 },
      { ...config(), index: 1 },
      group({}, [
        'tencentcloud_as_scaling_config.a[1].id',
        'tencentcloud_as_scaling_config.a[1]',
        'tencentcloud_as_scaling_config.a',
      ]),
    ],
    0,
    { headroom: 12 },
  ],
])('check --plan judges %s', async (_what, resources, code, launch) => {
  expect(await checkPlan(resources)).toMatchObject({ code, launches: [launch] });
});

test.each<[string, PlannedResource[], number, string]>([
  [
    'of a region that is not configured',
    [instance({ availability_zone: 'ap-tokyo-1' })],
    3,
    'no account of the configuration names ap-tokyo',
  ],
  ['of a dedicated host', [instance({ instance_charge_type: 'CDHPAID' })], 3, 'CDHPAID'],
  ['without a type', [instance({ instance_type: computed })], 3, 'nothing names its instance type'],
])(
  'check --plan does not judge an instance %s, and says so',
  async (_what, resources, code, reason) => {
    const result = await checkPlan(resources);

    expect(result).toMatchObject({ code, launches: [], not_judged: [{ source: named }] });
    expect(result.not_judged[0].reason).toContain(reason);
  },
);

test.each<[string, PlannedResource[]]>([
  ['resources of other types', [{ ...instance(), type: 'tencentcloud_subnet' }]],
  ['instances that stay', [{ ...instance(), actions: ['no-op'] }]],
  ['instances that change in place', [{ ...instance(), actions: ['update'] }]],
  ['instances that go', [{ ...instance(), actions: ['delete'] }]],
  ['groups that start nothing', [config(), group({ min_size: 0 }), pool({ desired_capacity: 0 })]],
  ['nothing', []],
])('check --plan with %s has nothing to judge', async (_what, resources) => {
  const file = await temporaryFile('plan.json', planOf(resources));

  const { code, stdout } = await check(`--plan=${file}`);

  expect(code).toBe(0);
  expect(stdout).toBe('FINE  nothing to judge\n');
  expect(emulator.requests.total).toBe(0);
});

test('the resources of a plan, and launches beside them, are judged together', async () => {
  const file = await temporaryFile(
    'plan.json',
    planOf([instance(), { ...worker({ count: 11 }), name: 'b' }]),
  );

  const fits = await check(`--plan=${file}`);
  const { code, stdout } = await check(
    `--plan=${file}`,
    '--launch=lt-web00001:1',
    `--region=${region}`,
  );

  expect(fits.code).toBe(0);
  expect(code).toBe(2);
  expect(stdout).toMatch(/0 addresses after lt-web00001:1, tencentcloud_instance\.a/);
});

test.each([
  ['no JSON', 'a plan', 'is no JSON'],
  ['no plan', '{"format_version":"1.0","values":{}}', 'is no plan'],
  ['JSON of something else', '[]', 'is no plan'],
  ['a plan of another format version', planOf([], { format_version: '2.0' }), 'format version'],
  ['a plan that is not whole', planOf([], { errored: true }), 'ended with an error'],
  ['a plan without its configuration', planOf([], { configuration: undefined }), 'lacks'],
])('check --plan of %s exits 3 before any request', async (_what, text, message) => {
  const file = await temporaryFile('plan.json', text);

  const { code, stderr } = await check(`--plan=${file}`);

  expect(code).toBe(3);
  expect(stderr).toContain(message);
  expect(emulator.requests.total).toBe(0);
});

test('check --plan of a file that does not exist exits 3', async () => {
  expect(await check('--plan=/none/plan.json')).toMatchObject({ code: 3, stdout: '' });
});

test('--output=markdown is a table with the worst first, and text of a plan is no markup', async () => {
  const evil = { ...instance({ subnet_id: computed }), index: '`|<b>@all' };
  const file = await temporaryFile(
    'plan.json',
    planOf([evil, { ...worker({ count: 13 }), name: 'b' }]),
  );

  const { code, stdout } = await check(`--plan=${file}`, '--output=markdown');

  expect(code).toBe(2);
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^\*\*CRITICAL\*\* 1 launch blocked/);
  expect(lines.slice(2).map((line) => line.split(' | ').slice(0, 2).join(' | '))).toEqual([
    '| State | Launch',
    '| --- | ---',
    String.raw`| blocked | tencentcloud\_kubernetes\_scale\_worker.b`,
    String.raw`| fine | tencentcloud\_instance.a\["\`\|\<b\>\@all"\]`,
  ]);
});

test.each([
  ['asg-web00001:12', 0, { state: 'fine', headroom: 12, scaling_group_id: 'asg-web00001' }],
  ['asg-web00001:13', 2, { state: 'blocked', headroom: 12 }],
])(
  'check --launch=%s of a scaling group exits %i, whatever its maximum',
  async (source, code, launch) => {
    expect(await judged(source)).toMatchObject({ code, launches: [{ source, ...launch }] });
  },
);

test('what a scaling group takes of its subnets is gone for others', async () => {
  const { code, launches } = await judged(
    'asg-web00001:7',
    `S6.LARGE8/${three}/postpaid/${small}:6`,
    'asg-web00001:6',
  );

  expect(code).toBe(2);
  expect(launches.map(({ source, state, headroom }) => [source, state, headroom])).toEqual(
    [
      ['asg-web00001:7', 'blocked', 6],
      ['asg-web00001:6', 'fine', 6],
      [`S6.LARGE8/${three}/postpaid/${small}:6`, 'fine', 12],
    ].toSorted((a, b) => Number(b[1] === 'blocked') - Number(a[1] === 'blocked')),
  );
});

/** Of the blocked launch: type, zone, subnets and change of each alternative. */
async function alternatives(regionKeys: object, ...sources: string[]) {
  const account = { ...production, regions: [{ name: region, ...regionKeys }] };
  const flags = sources.map((source) => `--launch=${source}`);
  const { stdout } = await checkOf([account], ['--output=json', ...flags]);
  const [first]: { alternatives: (Record<string, string> & { subnets: string[] })[] }[] =
    JSON.parse(stdout).launches;
  return first!.alternatives.map(({ change, instance_type, subnets, zone: where }) => [
    ...[instance_type, where, ...subnets, change],
  ]);
}

test.each([
  [
    'another type of its family first, then others of the kind',
    {},
    [`S5.GONE8/${three}:1`],
    [
      ['S5.LARGE8', three, `--launch=S5.LARGE8/${three}/postpaid:1`],
      ['S5.LARGE8', four, `--launch=S5.LARGE8/${four}/postpaid:1`],
      ['S6.LARGE8', three, `--launch=S6.LARGE8/${three}/postpaid:1`],
    ],
  ],
  [
    'its own type elsewhere before all, in the roomiest subnet of its VPC that is watched',
    { subnets: ['subnet-full0001', 'subnet-four0001', 'subnet-vpc00001'] },
    [`S5.LARGE8/${three}/postpaid/${small}:13`],
    [
      [
        'S5.LARGE8',
        four,
        'subnet-four0001',
        `--launch=S5.LARGE8/${four}/postpaid/subnet-four0001:13`,
      ],
      [
        'S6.LARGE8',
        four,
        'subnet-four0001',
        `--launch=S6.LARGE8/${four}/postpaid/subnet-four0001:13`,
      ],
    ],
  ],
  [
    'another zone without a subnet that is watched, which it says',
    {},
    ['lt-web00001:13'],
    [
      ['S5.LARGE8', four, `Placement.Zone = "${four}", and choose a subnet there`],
      [
        'S6.LARGE8',
        four,
        `InstanceType = "S6.LARGE8", Placement.Zone = "${four}", and choose a subnet there`,
      ],
    ],
  ],
  [
    'no zone whose quota another launch takes',
    {},
    [`S5.GONE8/${three}:1`, `S5.LARGE8/${three}:30`],
    [
      ['S5.LARGE8', four, `--launch=S5.LARGE8/${four}/postpaid:1`],
      ['S6.LARGE8', four, `--launch=S6.LARGE8/${four}/postpaid:1`],
    ],
  ],
  ['nothing where nothing holds it', {}, [`S5.LARGE8/${three}:31`], []],
])('a launch that is blocked names as alternatives %s', async (_what, keys, sources, found) => {
  expect(await alternatives(keys, ...sources)).toEqual(found);
});

test('an alternative of a resource is lines of Terraform, and says by what it was judged', async () => {
  const file = await temporaryFile('plan.json', planOf([instance({ instance_type: 'S5.GONE8' })]));

  const { stdout } = await check(`--plan=${file}`);

  expect(stdout).toMatch(/instead S5\.LARGE8 in ap-guangzhou-3: instance_type = "S5\.LARGE8"\s/);
  const requests = emulator.requests.list().map(({ parameters }) => JSON.stringify(parameters));
  expect(
    requests.filter((text) => text.includes('instance-family') && text.includes('SA2')),
  ).toHaveLength(1);
});
