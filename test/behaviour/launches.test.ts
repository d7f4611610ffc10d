/** Launches, from the answers of the emulator to metrics and the API. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { ScenarioInput } from '../../src/emulator/emulator.ts';
import type { Logger } from '../../src/log.ts';
import { temporaryDirectory } from '../support/directories.ts';
import { answerWith } from '../support/emulator.ts';
import { recordingLogger } from '../support/loggers.ts';
import { type MonitorOptions, startMonitor } from '../support/monitor.ts';
import { TroubledDisk } from '../support/troubled-disk.ts';

const region = 'ap-guangzhou';
const [three, four] = ['ap-guangzhou-3', 'ap-guangzhou-4'];
const [large, small] = ['subnet-large001', 'subnet-small001'];

const type = (name: string) => ({ type: name, cpu: 2, memory: 8 });

/** What a version starts, in zone 3. */
const data = (InstanceType: string, SubnetId: string, more: object) => ({
  ImageId: 'img-8toqc6s3',
  InstanceType,
  Placement: { Zone: three },
  VirtualPrivateCloud: { VpcId: 'vpc-1', SubnetId },
  ...more,
});

const longAgo = { start_time: '2020-01-01T00:00:00Z' };

/** A template whose default version starts S5.LARGE8 in the small subnet. */
const template = (more: object = {}) => ({
  id: 'lt-web00001',
  default_version: 1,
  versions: [
    { version: 1, data: data('S5.LARGE8', small, more) },
    { version: 2, data: data('S6.LARGE8', large, more) },
  ],
});

function scenario(more: object = {}, account: object = {}): ScenarioInput {
  const zone = (name: string) => ({
    name,
    postpaid: { used: 10, limit: 100 },
    prepaid: { used: 0, limit: 50, once_limit: 3 },
    spotpaid: { used: 0, limit: 21 },
    instance_types: [type('S5.LARGE8'), type('S6.LARGE8')],
  });
  const subnets = [
    { id: large, zone: three, total: 253, available: 200 },
    { id: small, zone: three, total: 13, available: 12 },
  ];
  const zones = [zone(three), zone(four)];
  const regions = [{ name: region, zones, subnets, launch_templates: [template()], ...more }];
  return { accounts: [{ name: 'production', ...account, regions }] };
}

async function start(
  {
    account = {},
    regionKeys = {},
    more = {},
    service = {},
    thresholds = {},
  }: Partial<Record<'account' | 'regionKeys' | 'more' | 'service' | 'thresholds', object>> = {},
  options: Partial<MonitorOptions> = {},
) {
  const monitor = await startMonitor({
    scenario: scenario(more, service),
    config: ({ endpoint }) => ({
      api: { endpoint, proxy: 'none', max_attempts: 1, requests_per_second: 20 },
      thresholds,
      accounts: [
        {
          name: 'production',
          credentials: { type: 'none' },
          launches: true,
          regions: [{ name: region, launch_templates: ['lt-web00001'], ...regionKeys }],
          ...account,
        },
      ],
    }),
    ...options,
  });
  /** The samples of launches, without account and region. */
  const samples = async (name: string) =>
    (await monitor.text())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => line.replace(`account="production",region="${region}",`, ''))
      .map((line) => line.slice(name.length));
  const launches = async (): Promise<Record<string, unknown>[]> =>
    (await monitor.json('/api/v1/launches')).launches;
  const changes = async () => (await monitor.json('/api/v1/changes')).changes;
  const page = async () => (await monitor.get('/')).text();
  const asked = (operation: string) =>
    monitor.emulator.requests.list().filter((each) => each.operation === operation);
  return { monitor, samples, launches, changes, page, asked };
}

const web = `template_id="lt-web00001",zone="${three}",instance_type="S5.LARGE8",charge_type="postpaid"`;

test('a launch has room for as many instances as its subnet has addresses', async () => {
  const { launches, page, samples } = await start();

  expect(await page()).toContain('1 launch fine');
  expect(await samples('cvm_launch_headroom')).toEqual([`{${web}} 12`]);
  expect(await samples('cvm_launch_blocked')).toEqual([
    `{${web},reason="refused"} 0`,
    `{${web},reason="quota"} 0`,
    `{${web},reason="sold-out"} 0`,
    `{${web},reason="not-offered"} 0`,
    `{${web},reason="disk"} 0`,
    `{${web},reason="subnet"} 0`,
  ]);
  expect(await samples('cvm_launch_unknown')).toEqual(
    ['version', 'quota', 'stock', 'disk', 'subnet'].map((part) => `{${web},part="${part}"} 0`),
  );
  expect(await samples('cvm_launch_info')).toEqual([`{${web},version="1",subnet_id="${small}"} 1`]);
  expect(await launches()).toMatchObject([
    { state: 'fine', headroom: 12, sells_in: [three, four] },
  ]);
});

/** The strip of the first launch of a page: by part, the state of its cell and what stands in it. */
const stripIn = (markup: string) =>
  Object.fromEntries(
    [
      ...(/<ul class="strip"[^]*?<\/ul>/.exec(markup)?.[0] ?? '').matchAll(
        /<li class="(\w+)">\s*<span aria-hidden="true"><i>(.*?)<\/i> <b>(.*?)<\/b>/g,
      ),
    ].map(([, state, part, room = '']) => [part, `${state} ${room.trim()}`]),
  );

test.each<[what: string, data: object, cells: Record<string, string>]>([
  [
    'holds enough',
    {},
    { version: 'fine priced', quota: 'fine 90', stock: 'fine enough', subnet: 'fine 12' },
  ],
  ['holds no second launch', { InstanceCount: 7 }, { quota: 'fine 90', subnet: 'tight ▾ 12' }],
  ['holds too few', { InstanceCount: 13 }, { quota: 'fine 90', subnet: 'critical ! 12' }],
  ['is gone', { InstanceType: 'S9.NONE' }, { quota: 'fine 90', stock: 'unknown ? unknown' }],
  ['does not apply', { VirtualPrivateCloud: null }, { stock: 'fine enough', subnet: 'absent –' }],
])('the strip of a launch says of a part that it %s', async (_what, data, cells) => {
  const { page } = await start({ more: { launch_templates: [template(data)] } });

  const markup = await page();

  expect(stripIn(markup)).toMatchObject(cells);
  // A screen reader says the sentence.
  expect(markup).toMatch(/<span class="said">fine: postpaid quota: 90 of S\d\.\w+<\/span>/);
});

test('a version whose image is deleted is refused within an hour, and fine in the cycle after it is back', async () => {
  const images = ['img-8toqc6s3'];
  const { asked, launches, monitor, page, samples } = await start({ more: { images } });
  const place = monitor.emulator.state.region({ region });
  const prices = () => asked('InquiryPriceRunInstances').length;
  const { targets } = await monitor.json('/api/v1/targets?kind=price');
  await monitor.cycle(1_000);
  expect([prices(), await samples('cvm_launch_refused')]).toEqual([1, []]);
  // A price that is not asked for grows older.
  expect((await monitor.json('/api/v1/targets?kind=price')).targets).toEqual(targets);

  place.images = [];
  await monitor.cycle(3_600_000);

  const code = 'InvalidImageId.NotFound';
  const refused = `{template_id="lt-web00001",version="1",code="${code}"} 1`;
  expect(await samples('cvm_launch_refused')).toEqual([refused]);
  expect(await samples('cvm_launch_blocked')).toContain(`{${web},reason="refused"} 1`);
  expect(await samples('cvm_launch_severity')).toEqual([
    `{${web},reason="refused",severity="critical"} 1`,
  ]);
  expect(await launches()).toMatchObject([{ state: 'blocked', headroom: 0 }]);
  expect(stripIn(await page())).toMatchObject({ version: 'critical ! refused' });
  expect(await page()).toContain(`version 1: refused with ${code}`);
  place.images = images;
  await monitor.cycle(1_000);
  expect([prices(), await samples('cvm_launch_refused')]).toEqual([3, []]);
  expect(await launches()).toMatchObject([{ state: 'fine', headroom: 12 }]);
});

test('the last price is stored: a daemon that starts again does not ask', async () => {
  const { asked, monitor } = await start();
  await monitor.cycle(3_600_000);
  const priced = async () =>
    (await monitor.json('/api/v1/targets?kind=price')).targets[0].snapshot as object;
  const before = await priced();
  await monitor.daemon.stop();
  const { directory, emulator } = monitor;
  const again = await start({}, { directory, emulator, startMs: monitor.clock.now() + 1_000 });

  expect(asked('InquiryPriceRunInstances')).toHaveLength(2);
  const { targets } = await again.monitor.json('/api/v1/targets?kind=price');
  expect(targets).toMatchObject([{ snapshot: before }]);
});

test('the price of a version that names no zone is asked for in the cycle in which the stock answers', async () => {
  const anywhere = { Placement: {}, VirtualPrivateCloud: null };
  const { asked, launches } = await start({ more: { launch_templates: [template(anywhere)] } });

  expect(asked('InquiryPriceRunInstances')).toHaveLength(2);
  expect(await launches()).toMatchObject([{ zone: '', state: 'fine' }]);
});

test('without the permission for stock, the price is asked for where a quota is, and a refusal is not fine', async () => {
  const anywhere = { Placement: {}, VirtualPrivateCloud: null };
  const { asked, launches, monitor, samples } = await start({
    more: { launch_templates: [template(anywhere)], images: [] },
    service: { denied_operations: ['DescribeZoneInstanceConfigInfos'] },
  });
  expect(await launches()).toMatchObject([{ state: 'unknown' }]);
  await monitor.cycle();

  expect(asked('InquiryPriceRunInstances').slice(0, 2)).toMatchObject(
    [three, four].map((zone) => ({ parameters: { Placement: { Zone: zone } } })),
  );
  expect(await samples('cvm_launch_refused')).toEqual([
    '{template_id="lt-web00001",version="1",code="InvalidImageId.NotFound"} 1',
  ]);
  expect(await launches()).toMatchObject([{ state: 'unknown' }]);
});

test('a type that is sold out is one reason, though the price is refused for it, too', async () => {
  const { monitor, samples } = await start();
  const soldOut = { instance_type: 'S5.LARGE8', stock: 'WithoutStock' } as const;
  monitor.emulator.do({ do: 'set-stock', region, ...soldOut });
  await monitor.cycle(3_600_000);

  const reason = 'reason="sold-out"';
  expect(await samples('cvm_launch_severity')).toEqual([
    `{${web},${reason},severity="critical"} 1`,
  ]);
  const blocked = await samples('cvm_launch_blocked');
  expect(blocked.filter((line) => line.includes(reason))).toEqual([`{${web},${reason}} 1`]);
  expect(await samples('cvm_launch_refused')).toEqual([]);
});

test('the series of launches, templates and stock have the labels of the account', async () => {
  const { monitor } = await start({ account: { labels: { team: 'payments' } } });

  const { all } = await monitor.samples();

  const ofAccount = all.filter(({ labels }) => labels.account !== undefined);
  expect(ofAccount.filter(({ labels }) => labels.team !== 'payments')).toEqual([]);
  expect(ofAccount.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...['cvm_launch_headroom', 'cvm_launch_blocked', 'cvm_launch_unknown', 'cvm_launch_info'],
      ...['cvm_launch_template_default_version', 'cvm_instance_type_stock_level'],
    ]),
  );
});

test.each([
  ['', 'fine', 1],
  ['?count=12', 'fine', 12],
  ['?count=13', 'blocked', 13],
  ['?count=13&account=production', 'blocked', 13],
])('/api/v1/launches%s judges the launch %s, for %i instances', async (query, state, count) => {
  const { monitor } = await start();

  const { launches } = await monitor.json(`/api/v1/launches${query}`);

  expect(launches).toMatchObject([{ state, count, headroom: 12 }]);
});

test.each(['0', '501', '-1', '1.5', '12&count=13', 'all'])(
  '/api/v1/launches?count=%s is a bad request',
  async (count) => {
    const { monitor } = await start();

    const { status } = await monitor.get(`/api/v1/launches?count=${count}`);

    expect(status).toBe(400);
  },
);

test('the page has the picture, then launches, problems, quotas, templates and changes', async () => {
  const { monitor, page } = await start({ regionKeys: { subnets: ['subnet-gone0001'] } });
  const version = { template_id: 'lt-web00001', version: 2 };
  monitor.emulator.do({ do: 'set-default-version', region, ...version });
  await monitor.cycle(60_000);

  const sections = [...(await page()).matchAll(/<section id="([a-z-]+)"/g)].map(([, id]) => id);

  const order = ['overview', 'launches', 'problems', 'quotas', 'templates', 'changes'];
  expect(sections).toEqual(order);
});

test('two subnets of one zone keep their own thresholds, rows and names', async () => {
  const { monitor, page } = await start({ regionKeys: { subnets: [large] } });

  const remaining = (await monitor.text())
    .split('\n')
    .filter((line) => line.startsWith('cvm_quota_remaining') && line.includes('subnet_id'))
    .map((line) =>
      /^(\w+)\{.*subnet_id="(.+?)".*?(?:severity="(.+)")?\} (\d+)$/.exec(line)!.slice(1),
    );
  expect(remaining).toEqual([
    ['cvm_quota_remaining', large, undefined, '200'],
    ['cvm_quota_remaining', small, undefined, '12'],
    ['cvm_quota_remaining_threshold', large, 'warning', '51'],
    ['cvm_quota_remaining_threshold', large, 'critical', '26'],
    ['cvm_quota_remaining_threshold', small, 'warning', '3'],
    ['cvm_quota_remaining_threshold', small, 'critical', '2'],
  ]);
  const csv = await (await monitor.get(`/api/v1/quotas?format=csv&subnet_id=${small}`)).text();
  expect(csv.trim().split('\r\n').slice(1)).toEqual([
    expect.stringMatching(/,{1}subnet-small001$/),
  ]);
  const text = await page();
  expect(text).toContain(large);
  expect(text).toContain(small);
  monitor.emulator.do({ do: 'set-subnet', region, subnet_id: small, available: 5 });
  await monitor.cycle(900_000);
  for (const [id, used] of [
    [large, 0],
    [small, 7],
  ]) {
    const { quotas } = await monitor.json(`/api/v1/quotas?subnet_id=${id}`);
    expect(quotas).toMatchObject([{ subnet_id: id, change: { used } }]);
  }
});

test('the versions of a template are a quota of 30, whatever else is watched', async () => {
  const { monitor } = await start({ account: { launches: false, quota_types: [] } });

  const asked = monitor.emulator.requests.list().map(({ operation }) => operation);
  expect(asked).toEqual(['DescribeLaunchTemplateVersions']);
  const samples = (await monitor.text())
    .split('\n')
    .filter((line) => line.startsWith('cvm_quota_'));
  const labels = `account="production",region="${region}",template_id="lt-web00001",quota_type="launch_template_versions",unit="versions"`;
  expect(samples).toEqual([
    `cvm_quota_used{${labels}} 2`,
    `cvm_quota_remaining{${labels}} 28`,
    `cvm_quota_remaining_threshold{${labels},severity="warning"} 6`,
    `cvm_quota_remaining_threshold{${labels},severity="critical"} 3`,
    `cvm_quota_limit{${labels}} 30`,
  ]);
});

test('a type that sells out blocks its launch, is in the feed, and says where else it sells', async () => {
  const { changes, launches, monitor, samples } = await start();

  monitor.emulator.do({
    do: 'set-stock',
    region,
    zone: three,
    instance_type: 'S5.LARGE8',
    stock: 'WithoutStock',
  });
  await monitor.cycle();

  expect(await changes()).toMatchObject([
    { kind: 'stock-changed', zone: three, instance_type: 'S5.LARGE8', to: 'sold out' },
  ]);
  expect(await launches()).toMatchObject([
    { state: 'blocked', headroom: 0, sells_in: [four], blocked_since: expect.any(String) },
  ]);
  expect(await samples('cvm_launch_severity')).toEqual([
    `{${web},reason="sold-out",severity="critical"} 1`,
  ]);
  expect(await samples('cvm_instance_type_sold_out')).toEqual([
    `{zone="${three}",instance_type="S5.LARGE8",charge_type="postpaid"} 1`,
  ]);
});

test('a default version that moves between two polls is judged in the same cycle', async () => {
  const { asked, launches, monitor } = await start();

  monitor.emulator.do({
    do: 'set-default-version',
    region,
    template_id: 'lt-web00001',
    version: 2,
  });
  await monitor.cycle();

  expect(await launches()).toMatchObject([
    { version: 2, instance_type: 'S6.LARGE8', state: 'fine', headroom: 90 },
  ]);
  expect(asked('DescribeZoneInstanceConfigInfos')).toHaveLength(2);
  expect(asked('DescribeSubnets')).toHaveLength(2);
});

test('without the permission for disks and subnets, they are not asked, and the other parts are judged', async () => {
  const { launches, monitor, page, samples } = await start({
    service: { denied_operations: ['DescribeSubnets', 'DescribeDiskConfigQuota'] },
  });
  const operation = 'DescribeSubnets';

  expect(await launches()).toMatchObject([{ state: 'fine', headroom: 90 }]);
  expect(await samples('cvm_launch_unknown')).toEqual(
    ['version', 'quota', 'stock'].map((part) => `{${web},part="${part}"} 0`),
  );
  expect((await samples('cvm_launch_blocked')).join('')).not.toMatch(/"(disk|subnet)"/);
  const text = await page();
  expect(text).toMatch(
    /verdict fine[^]*disk of 1 launch not asked: no permission[^]*subnet of 1 launch not asked: no permission/,
  );
  expect(text).toContain('name/vpc:DescribeSubnets');
  expect((await samples('cvm_monitor_target_up')).join('')).not.toContain(operation);
  expect(await samples('cvm_monitor_target_failing_since_timestamp_seconds')).toEqual([
    expect.stringContaining(operation),
    expect.stringContaining('DescribeDiskConfigQuota'),
  ]);

  monitor.emulator.do({ do: 'set-used', region, zone: three, quota_type: 'postpaid', used: 100 });
  await monitor.cycle();
  expect(await launches()).toMatchObject([{ state: 'blocked', headroom: 0 }]);
  expect(await samples('cvm_launch_severity')).toEqual([
    `{${web},reason="quota",severity="critical"} 1`,
  ]);
});

test.each([
  ['what a template starts', { operation: 'DescribeLaunchTemplateVersions' }],
  ['anything', {}],
] as const)('a permission for %s that is taken away makes launches unknown', async (_what, of) => {
  const { launches, monitor, page } = await start();
  monitor.emulator.faults.add({ effect: 'error', code: 'UnauthorizedOperation', ...of });
  await monitor.cycle();

  expect(await launches()).toMatchObject([{ state: 'unknown' }]);
  expect(await page()).not.toContain('not asked: no permission');
});

test('a launch is blocked by a disk that is sold out, and by a placement group that is full', async () => {
  const group = 'ps-web00001';
  const { asked, launches, monitor, page, samples } = await start({
    more: {
      launch_templates: [
        template({
          SystemDisk: { DiskType: 'CLOUD_BSSD' },
          DataDisks: [{ DiskType: 'CLOUD_HSSD' }],
          DisasterRecoverGroupIds: [group],
        }),
      ],
      placement_groups: [{ id: group, used: 45, limit: 50 }],
    },
  });
  const partOf = async (name: string) => {
    const [{ parts } = {}] = await launches();
    return (parts as { part: string }[]).find(({ part }) => part === name);
  };

  expect(await launches()).toMatchObject([{ state: 'fine', headroom: 5 }]);
  expect(asked('DescribeDiskConfigQuota')).toHaveLength(1);
  expect(asked('DescribeDisasterRecoverGroups')).toHaveLength(1);
  const labels = `zone="${three}",instance_family="S5",disk_type="CLOUD_HSSD",disk_usage="DATA_DISK",charge_type="postpaid"`;
  expect(await samples('cvm_disk_available')).toContain(`{${labels}} 1`);
  const quota = `{placement_group_id="${group}",quota_type="placement_group_instances",unit="instances"}`;
  expect(await samples('cvm_quota_remaining')).toContain(`${quota} 5`);
  const csv = await (
    await monitor.get(`/api/v1/quotas?format=csv&placement_group_id=${group}`)
  ).text();
  expect(csv.trim().split('\r\n')).toHaveLength(2);

  const disk = { do: 'set-disk', region, zone: three, disk_type: 'CLOUD_HSSD' } as const;
  monitor.emulator.do({ ...disk, availability: 'sold-out' });
  monitor.emulator.do({ do: 'set-placement-group', region, placement_group_id: group, used: 50 });
  await monitor.cycle();

  expect(await launches()).toMatchObject([{ state: 'blocked', headroom: 0 }]);
  const blocked = { known: true, holds: 0, severity: 'critical' };
  const diskText = 'CLOUD_HSSD: not available';
  expect(await partOf('disk')).toMatchObject({ ...blocked, reason: 'disk', text: diskText });
  const groupText = `${group}: 0 instances`;
  expect(await partOf('placement group')).toMatchObject({ ...blocked, text: groupText });
  expect(await samples('cvm_disk_available')).toContain(`{${labels}} 0`);
  expect(await samples('cvm_launch_severity')).toEqual([
    `{${web},reason="disk",severity="critical"} 1`,
    `{${web},reason="placement-group",severity="critical"} 1`,
  ]);
  expect(await page()).toContain(groupText);

  monitor.emulator.do({ ...disk, availability: 'available' });
  monitor.emulator.do({ do: 'set-placement-group', region, placement_group_id: group, limit: 60 });
  await monitor.cycle();
  expect(await launches()).toMatchObject([{ state: 'fine', headroom: 10 }]);
});

test('a template that fails makes its launch unknown at once, and its other parts go on blocking', async () => {
  const { launches, monitor, samples } = await start();
  const operation = 'DescribeLaunchTemplateVersions';
  const versionUnknown = expect.objectContaining({ part: 'version', known: false });

  monitor.emulator.faults.add({ effect: 'error', code: 'InternalError', operation });
  for (const afterMs of [60_000, 86_400_000]) {
    await monitor.cycle(afterMs);
    expect(await launches()).toMatchObject([
      { state: 'unknown', headroom: null, parts: expect.arrayContaining([versionUnknown]) },
    ]);
    expect(await samples('cvm_launch_unknown')).toContain(`{${web},part="version"} 1`);
    expect(await samples('cvm_launch_headroom')).toEqual([]);
  }
  monitor.emulator.do({ do: 'set-subnet', region, subnet_id: small, available: 0 });
  await monitor.cycle();
  expect(await launches()).toMatchObject([{ state: 'blocked', headroom: 0 }]);

  monitor.emulator.do({ do: 'set-subnet', region, subnet_id: small, available: 12 });
  monitor.emulator.faults.clear();
  await monitor.cycle();
  expect(await launches()).toMatchObject([{ state: 'fine', headroom: 12 }]);
});

test('a part that holds fewer than the version starts says how many are needed', async () => {
  const thirteen = { launch_templates: [template({ InstanceCount: 13 })] };
  const { launches } = await start({ more: thirteen });

  expect(await launches()).toMatchObject([{ state: 'blocked', headroom: 12 }]);
  const text = `${small}: 12 addresses, 13 needed`;
  expect((await launches())[0]!.parts).toContainEqual(
    expect.objectContaining({ part: 'subnet', holds: 12, text }),
  );
});

test('RunInstances refuses a version for more than 500 instances', async () => {
  const many = { launch_templates: [template({ InstanceCount: 501 })] };
  const { page, samples } = await start({ more: many });

  expect(await samples('cvm_launch_severity')).toContain(
    `{${web},reason="refused",severity="critical"} 1`,
  );
  expect(await page()).toContain('at most 500 instances in one launch, 501 needed');
});

test('a launch that is not judged is unknown in every verdict, with its reason, unless it is muted', async () => {
  const hosted = {
    id: 'lt-host0001',
    default_version: 1,
    versions: [{ version: 1, data: { InstanceChargeType: 'CDHPAID' } }],
  };
  const regionKeys = { launch_templates: ['lt-web00001', 'lt-host0001'] };
  const more = { launch_templates: [template(), hosted] };
  const { monitor, page } = await start({ more, regionKeys });

  expect(await page()).toMatch(/verdict unknown[^]*1 launch not judged[^]*CDHPAID has no quota/);
  const named = {
    template_id: 'lt-host0001',
    reason: 'the charge type CDHPAID has no quota that is read',
  };
  expect(await monitor.json('/api/v1/launches')).toMatchObject({
    launches: [{ template_id: 'lt-web00001' }],
    not_judged: [{ ...named, state: 'not judged' }],
  });

  const overrides = [{ launch_templates: ['lt-host0001'], muted: true }];
  const muted = await start({ more, regionKeys, thresholds: { overrides } });
  expect(await muted.page()).toMatch(/verdict fine/);
  expect(await muted.monitor.json('/api/v1/launches')).toMatchObject({
    not_judged: [{ ...named, state: 'muted' }],
  });
});

test('since when a launch is blocked stays the same over polls, unknown times, restarts and kills', async () => {
  const { launches, monitor } = await start();
  const since = async () => (await launches())[0]!.blocked_since;
  const fill = (used: number) => {
    monitor.emulator.do({ do: 'set-used', region, zone: three, quota_type: 'postpaid', used });
  };
  const operation = 'DescribeAccountQuota';
  fill(100);
  await monitor.cycle();
  const found = new Date(monitor.clock.now()).toISOString();
  expect(await since()).toBe(found);
  expect((await launches())[0]!.parts).toContainEqual(
    expect.objectContaining({ reason: 'quota', since: found }),
  );
  await monitor.cycle();
  expect(await since()).toBe(found);
  monitor.emulator.faults.add({ effect: 'error', code: 'InternalError', operation });
  await monitor.cycle();
  expect(await since()).toBe(null);
  monitor.emulator.faults.clear();
  await monitor.cycle(3_600_000);
  expect(await since()).toBe(found);

  // What a kill leaves: the files as they are, without the end of a stop.
  const directory = await temporaryDirectory();
  const isRecord = (path: string) => !path.includes('/lock.');
  await cp(`${monitor.directory}/data`, `${directory}/data`, { recursive: true, filter: isRecord });
  const startMs = monitor.clock.now() + 3_600_000;
  const { emulator } = monitor;
  const killed = await start({}, { directory, startMs, emulator });
  expect((await killed.launches())[0]!.blocked_since).toBe(found);

  fill(0);
  await monitor.cycle();
  expect(await since()).toBe(null);
  fill(100);
  await monitor.cycle();
  expect(await since()).toBe(new Date(monitor.clock.now()).toISOString());
});

test('a time that cannot be stored is not shown, and the next cycle writes its own', async () => {
  const fileCalls = new TroubledDisk();
  const { launches, monitor } = await start({}, { fileCalls });
  fileCalls.trouble = 'ENOSPC';
  monitor.emulator.do({ do: 'set-subnet', region, subnet_id: small, available: 0 });
  await monitor.cycle();
  expect(await launches()).toMatchObject([{ state: 'blocked', blocked_since: null }]);

  await fileCalls.heal();
  await monitor.cycle();
  const found = new Date(monitor.clock.now()).toISOString();
  expect(await launches()).toMatchObject([{ state: 'blocked', blocked_since: found }]);
});

test('launches of the configuration are judged in each zone, and odd names cost only themselves', async () => {
  const { launches, monitor } = await start({
    regionKeys: {
      launch_templates: [],
      instance_types: [
        'S6.LARGE8',
        { type: 'nosuch.TYPE', zones: [three], charge_types: ['postpaid'] },
        { type: 'S5.LARGE8', zones: [four], charge_types: ['spotpaid'], subnets: [small] },
      ],
      subnets: ['subnet-other001'],
    },
  });

  const judged = (await launches()).map((each) =>
    [each.instance_type, each.charge_type, each.zone, each.state, each.headroom].join(' '),
  );
  expect(judged.toSorted()).toEqual([
    `S5.LARGE8 spotpaid ${four} blocked 0`,
    `S6.LARGE8 postpaid ${three} fine 90`,
    `S6.LARGE8 postpaid ${four} fine 90`,
    `S6.LARGE8 spotpaid ${three} fine 10`,
    `S6.LARGE8 spotpaid ${four} fine 10`,
    `nosuch.TYPE postpaid ${three} unknown `,
  ]);
  const { targets } = (await monitor.json('/api/v1/targets')) as {
    targets: { missing: string[] }[];
  };
  expect(targets.flatMap(({ missing }) => missing)).toEqual([
    'instance type nosuch.TYPE: refused with InvalidInstanceType.Malformed',
    'subnet-other001: refused with ResourceNotFound',
  ]);
});

test('a muted launch has no alert, and an override for quota types mutes none', async () => {
  const overrides = [
    { quota_types: ['postpaid'], muted: true },
    { launch_templates: ['lt-web00001'], muted: true },
  ];
  const { launches, samples } = await start({ thresholds: { overrides } });

  expect(await launches()).toMatchObject([{ state: 'muted', headroom: 12 }]);
  expect(await samples('cvm_launch_blocked')).toEqual([]);
  expect(await samples('cvm_launch_unknown')).toEqual([]);
  expect(await samples('cvm_launch_headroom')).toEqual([`{${web}} 12`]);
});

test('on the international site, launches are judged by stock and subnet', async () => {
  const groups = { image: { used: 4, limit: 10 }, disaster_recover_group: { used: 25, limit: 10 } };
  const { launches, monitor, page, samples } = await start(
    { account: { site: 'international' } },
    { scenario: { site: 'international', ...scenario(groups) } },
  );

  const quotas = (await monitor.text())
    .split('\n')
    .filter((line) => /^cvm_quota_\w+\{.*quota_type="(image|disaster)/.test(line))
    .filter((line) => !line.includes('_total'))
    .map((line) => line.replace(/\{.*quota_type="(\w+)".*?(?:severity="(\w+)")?\}/, ' $1 $2'));
  expect(quotas).toEqual([
    'cvm_quota_used disaster_recover_group  25',
    'cvm_quota_remaining disaster_recover_group  -15',
    'cvm_quota_remaining_threshold disaster_recover_group warning 2',
    'cvm_quota_remaining_threshold disaster_recover_group critical 1',
    'cvm_quota_severity disaster_recover_group  1',
    'cvm_quota_limit disaster_recover_group  10',
    'cvm_quota_limit image  10',
  ]);
  expect(await launches()).toMatchObject([
    {
      state: 'fine',
      headroom: 12,
      parts: ['version', 'stock', 'disk', 'subnet'].map((part) => ({ part })),
    },
  ]);
  expect(await samples('cvm_instance_type_stock_level')).toEqual([]);
  expect(await page()).toContain('its quota is not asked for');
  expect(await page()).toContain('quota of 1 launch is not asked for');
});

const stockOperation = 'DescribeZoneInstanceConfigInfos';

const otherRow = {
  ...{ Zone: three, InstanceType: 'S9.OTHER', InstanceChargeType: 'POSTPAID_BY_HOUR' },
  ...{ Status: 'SELL', StatusCategory: 'EnoughStock', Cpu: 2 },
};

test.each([
  ['stock', stockOperation, { InstanceTypeQuotaSet: [] }],
  ['stock of another type only', stockOperation, { InstanceTypeQuotaSet: [otherRow] }],
  ['disks', 'DescribeDiskConfigQuota', { DiskConfigSet: [] }],
  [
    'placement groups',
    'DescribeDisasterRecoverGroups',
    { DisasterRecoverGroupSet: [], TotalCount: 0 },
  ],
  ['subnets', 'DescribeSubnets', { SubnetSet: [], TotalCount: 0 }],
] as const)(
  'one empty answer about %s blocks no launch, and two do',
  async (_what, operation, fields) => {
    const { changes, launches, monitor } = await start({
      more: {
        launch_templates: [template({ DisasterRecoverGroupIds: ['ps-web00001'] })],
        placement_groups: [{ id: 'ps-web00001', limit: 50 }],
      },
    });
    const body = JSON.stringify({ Response: { ...fields, RequestId: 'r' } });
    monitor.emulator.faults.add({ ...answerWith(body), operation });

    await monitor.cycle();
    expect(await launches()).toMatchObject([{ state: 'unknown' }]);
    expect(await changes()).toEqual([]);
    await monitor.cycle();
    expect(await launches()).toMatchObject([{ state: 'blocked', headroom: 0 }]);
    monitor.emulator.faults.clear();
    await monitor.cycle();
    expect(await launches()).toMatchObject([{ state: 'fine' }]);
  },
);

test.each([
  [stockOperation, 'stock'],
  ['DescribeSubnets', 'subnet'],
  ['DescribeDiskConfigQuota', 'disk'],
  ['DescribeAccountQuota', 'quota'],
] as const)(
  'a region without %s keeps its launches, whose %s is unknown',
  async (operation, part) => {
    const faults = [{ effect: 'error' as const, code: 'UnsupportedRegion', operation }];
    const { launches, monitor, samples } = await start(
      { account: { regions: { launch_templates: 'all' } } },
      { scenario: { ...scenario(), faults } },
    );

    for (let cycle = 0; cycle < 2; cycle += 1) {
      expect(await launches()).toMatchObject([{ template_id: 'lt-web00001', state: 'unknown' }]);
      expect(await samples('cvm_launch_unknown')).toContain(`{${web},part="${part}"} 1`);
      await monitor.cycle();
    }
    expect(await monitor.json('/api/v1/targets')).toMatchObject({ regions_left_out: [] });
    monitor.emulator.faults.clear();
    await monitor.cycle();
    expect(await launches()).toMatchObject([{ state: 'fine' }]);
  },
);

test('all scaling groups of a region are judged, with launches: true alone', async () => {
  const configuration = { id: 'asc-ouy1ax38', instance_types: ['S6.LARGE8', 'S5.LARGE8'] };
  const group = { launch_configuration: configuration.id, max_size: 20, desired_capacity: 4 };
  const { launches, monitor, page, samples } = await start({
    regionKeys: { launch_templates: [] },
    more: {
      launch_configurations: [configuration],
      scaling_groups: [
        { ...group, id: 'asg-12wjuh0s', name: 'web', instances: 2, subnets: [small] },
        { ...group, id: 'asg-off00001', enabled: false, subnets: [large] },
      ],
    },
  });
  const ofWeb = 'scaling_group_id="asg-12wjuh0s",charge_type="postpaid"';

  expect(await samples('cvm_launch_headroom')).toEqual([`{${ofWeb}} 12`]);
  expect(await samples('cvm_launch_severity')).toEqual([
    `{${ofWeb},reason="short",severity="warning"} 1`,
  ]);
  expect(await samples('cvm_scaling_group_missing')).toEqual([
    '{scaling_group_id="asg-12wjuh0s"} 6',
  ]);
  expect(await samples('cvm_scaling_group_instances')).toEqual([
    '{scaling_group_id="asg-12wjuh0s"} 2',
    '{scaling_group_id="asg-off00001"} 0',
  ]);
  const names = 'scaling_group_name="web",launch_configuration_id="asc-ouy1ax38"';
  expect(await samples('cvm_scaling_group_info')).toEqual([
    `{scaling_group_id="asg-12wjuh0s",${names}} 1`,
    `{scaling_group_id="asg-off00001",${names.replace('web', 'group')}} 1`,
  ]);
  expect(await samples('cvm_scaling_group_enabled')).toEqual([
    '{scaling_group_id="asg-12wjuh0s"} 1',
    '{scaling_group_id="asg-off00001"} 0',
  ]);
  // The time is stored after the whole region was polled.
  await expect.poll(async () => (await launches())[0]?.short_since).not.toBeNull();
  expect(await launches()).toMatchObject([
    {
      ...{ scaling_group_id: 'asg-12wjuh0s', name: 'web', charge_type: 'postpaid', count: 2 },
      ...{ state: 'at risk', headroom: 12, missing: 6, blocked_since: null },
      members: { min: 0, desired: 4, max: 20, instances: 2 },
      short_since: expect.any(String) as string,
    },
  ]);
  expect(await monitor.json('/api/v1/launches?scaling_group_id=asg-off00001')).toMatchObject({
    launches: [],
    not_judged: [{ state: 'not judged', reason: 'the scaling group is disabled' }],
  });
  expect(await page()).toMatch(/2 of 20 members\b[^]*6 of 20 members missing/);
  // A group is no quota.
  expect(await monitor.text()).not.toMatch(/^cvm_quota_.*asg-/m);
  expect(await page()).toContain('the scaling group is disabled');
});

test('UserData of templates and launch configurations is stored, logged and shown nowhere', async () => {
  const [UserData, id] = ['c2VjcmV0LWRhdGE=', 'asc-ouy1ax38'];
  const { lines, logger } = recordingLogger();
  const debug: Logger['debug'] = (message, fields) => {
    logger.info(message, typeof fields === 'function' ? fields() : fields);
  };
  const more = {
    launch_templates: [template({ UserData })],
    launch_configurations: [{ id, instance_types: ['S5.LARGE8'], fields: { UserData } }],
    scaling_groups: [{ id: 'asg-12wjuh0s', launch_configuration: id, max_size: 9, zones: [three] }],
  };
  const { monitor } = await start({ more }, { logger: { ...logger, debug } });
  const data = `${monitor.directory}/data`;
  const records = (await readdir(data)).filter((name) => name.endsWith('.json'));
  const paths = [
    '/',
    '/metrics',
    ...['targets', 'launches', 'changes'].map((of) => `/api/v1/${of}`),
  ];
  const found = await Promise.all([
    ...records.map((name) => readFile(`${data}/${name}`, 'utf8')),
    ...paths.map(async (path) => (await monitor.get(path)).text()),
  ]);

  expect(found.slice(0, records.length).join()).toContain(id);
  expect([...found, JSON.stringify(lines)].join()).not.toContain('c2VjcmV0');
});

test('200 scaling groups with 50 configurations, 30 types, 20 subnets, 30 placement groups and 300 versions cost 12 requests a cycle beside templates and prices', async () => {
  const name = (prefix: string, i: number) => `${prefix}-${String(i).padStart(8, '0')}`;
  const many = <T>(length: number, make: (i: number) => T) =>
    Array.from({ length }, (_, i) => make(i));
  const inSubnet = data('S5.LARGE8', name('subnet', 0), {});
  const { monitor } = await start({
    regionKeys: { launch_templates: 'all' },
    account: { quota_types: [] },
    more: {
      subnets: many(20, (i) => ({ id: name('subnet', i), zone: three, total: 253, available: 9 })),
      placement_groups: many(30, (i) => ({ id: name('ps', i), limit: 50 })),
      launch_templates: many(10, (i) => ({
        ...{ id: name('lt', i), default_version: 1 },
        versions: many(30, (n) => ({ version: n + 1, data: inSubnet })),
      })),
      launch_configurations: many(50, (i) => ({
        id: name('asc', i),
        instance_types: [`S5.TYPE${i % 30}`],
        fields: {
          InstanceChargeType: i % 2 === 0 ? 'PREPAID' : 'SPOTPAID',
          SystemDisk: { DiskType: 'CLOUD_SSD' },
          DisasterRecoverGroupIds: [name('ps', i % 30)],
        },
      })),
      scaling_groups: many(200, (i) => ({
        id: name('asg', i),
        launch_configuration: name('asc', i % 50),
        max_size: 9,
        subnets: [name('subnet', i % 20)],
      })),
      activities: [
        { ...{ id: 'asa-00000001', scaling_group: name('asg', 0), status: 'RUNNING' }, ...longAgo },
      ],
    },
  });
  const requests = () => {
    const counts: Record<string, number> = {};
    for (const { operation } of monitor.emulator.requests.list()) {
      counts[operation ?? ''] = (counts[operation ?? ''] ?? 0) + 1;
    }
    monitor.emulator.requests.clear();
    return counts;
  };
  const each = {
    DescribeAutoScalingGroups: 2,
    DescribeLaunchConfigurations: 1,
    DescribeAutoScalingActivities: 2,
    DescribeZoneInstanceConfigInfos: 1,
    DescribeSubnets: 1,
    DescribeDiskConfigQuota: 2,
    DescribeDisasterRecoverGroups: 3,
    DescribeLaunchTemplates: 1,
  };

  expect(requests()).toEqual({
    ...each,
    DescribeLaunchTemplateVersions: 10,
    InquiryPriceRunInstances: 10,
  });
  await monitor.cycle(1_000);
  expect(requests()).toEqual(each);
});
