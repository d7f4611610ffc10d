/** `check --launch` and `check --plan`: what they poll, what they judge together, and what they refuse. */
import { Readable } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import type { RunningEmulator } from '../../src/emulator/emulator.ts';
import type { ScenarioInput } from '../../src/emulator/scenario/scenario.ts';
import { temporaryFile } from '../support/directories.ts';
import { emulate } from '../support/emulator.ts';
import { runHere } from '../support/in-process.ts';
import { startMonitor } from '../support/monitor.ts';
import { fixtureOf } from '../support/rows.ts';
import {
  planOf,
  resourcesOf,
  type ResourceRow,
  type Resources,
} from '../support/terraform-plan.ts';

interface Fixture {
  scenario: ScenarioInput;
  sources: Record<string, [code: number, launch: object]>;
  together: Record<string, [source: string, state: string, headroom: number, said?: string][]>;
  refused: Record<string, string>;
  unknown: Record<string, [said: string, region?: string]>;
  alternatives: Record<string, { sources: string[]; subnets?: string[]; found: unknown[][] }>;
  resources: Resources;
  plans: Record<string, [resources: ResourceRow[], code: number, launch: object]>;
  unjudged: Record<string, [set: object, reason: string]>;
  idle: Record<string, ResourceRow[]>;
}
const cases = fixtureOf<Fixture>('launches/asked');
const { scenario } = cases;
const [region, three] = ['ap-guangzhou', 'ap-guangzhou-3'];

let emulator: RunningEmulator;
beforeEach(async () => {
  emulator = await emulate({ scenario });
});

const production = {
  name: 'production',
  credentials: { type: 'none' as const },
  regions: [region, 'ap-seoul'],
};

async function configWith(accounts: readonly object[], more: object = {}) {
  const quick = { max_attempts: 1, proxy: 'none', requests_per_second: 20 };
  const api = { endpoint: emulator.url, ...quick };
  const path = await temporaryFile('config.yaml', JSON.stringify({ api, accounts, ...more }));
  return `--config.file=${path}`;
}

const check = async (...args: string[]) =>
  runHere(['check', await configWith([production]), ...args]);
const launchFlags = (sources: readonly string[]) => sources.map((source) => `--launch=${source}`);
const planFile = (rows: readonly ResourceRow[]) =>
  temporaryFile('plan.json', planOf(resourcesOf(cases.resources, rows)));
const operations = () => emulator.requests.list().map(({ operation }) => operation);
const parameters = () =>
  emulator.requests.list().map((request) => JSON.stringify(request.parameters));

// oxlint-disable-next-line typescript/no-explicit-any
async function judged(...sources: string[]): Promise<{ code: number; launches: any[] }> {
  const flags = ['--output=json', `--region=${region}`, ...launchFlags(sources)];
  const { code, stdout } = await check(...flags);
  return { code: code ?? NaN, ...JSON.parse(stdout) };
}

test.each(Object.entries(cases.sources))(
  'check --launch=%s: %j',
  async (source, [code, launch]) => {
    expect(await judged(source)).toMatchObject({ code, launches: [{ source, ...launch }] });
  },
);

test.each(Object.entries(cases.together))('launches are judged together: %s', async (_of, rows) => {
  const sources = rows.map(([source]) => source);
  const { code, launches } = await judged(...sources);
  const { stdout } = await check(`--region=${region}`, ...launchFlags(sources));

  expect(code).toBe(rows.some(([, state]) => state === 'blocked') ? 2 : 0);
  expect(launches).toHaveLength(rows.length);
  for (const [source, state, headroom, said] of rows) {
    expect(launches).toContainEqual(expect.objectContaining({ source, state, headroom }));
    if (said !== undefined) expect(stdout).toContain(said);
  }
});

test('check --launch polls only what the launches need, in their account', async () => {
  const other = { ...production, name: 'other', regions: ['ap-seoul'] };
  const regions = [{ name: region, subnets: ['subnet-large001'] }];
  const config = await configWith([{ ...production, launches: true, regions }, other]);
  const source = `C5.LARGE8/${three}/postpaid/subnet-small001:1`;

  const { code } = await runHere(['check', config, `--launch=${source}`]);

  expect(code).toBe(0);
  expect(operations()).toEqual(expect.arrayContaining(['DescribeAccountQuota', 'DescribeSubnets']));
  expect(operations()).not.toContain('DescribeLaunchTemplateVersions');
  expect(parameters().join()).not.toContain('subnet-large001');
});

const muted = { overrides: [{ launch_templates: ['lt-web00001'], muted: true }] };
test.each([
  ['fine', 12, {}, 0, '1 launch fine'],
  ['blocked', 13, {}, 2, '1 launch blocked'],
  ['muted', 13, muted, 0, '1 launch muted'],
])(
  'the verdict about a launch that the daemon watches is that of the daemon: %s',
  async (state, count, thresholds, code, said) => {
    const regions = [{ name: region, launch_templates: ['lt-web00001'], scaling_groups: [] }];
    const accounts = [{ ...production, launches: true, regions }];
    const monitor = await startMonitor({
      scenario,
      config: ({ endpoint }) => ({ api: { endpoint, proxy: 'none' }, accounts, thresholds }),
    });
    const source = `lt-web00001:${count}`;
    const config = await configWith(accounts, { thresholds });
    const args = ['check', config, `--region=${region}`, `--launch=${source}`];

    const answer = await monitor.json(`/api/v1/launches?count=${count}`);
    const json = await runHere([...args, '--output=json']);
    const table = await runHere(args);

    // Only the daemon knows since when, and each asked for the price by its own clock.
    const timeless = (launch: unknown) =>
      JSON.parse(JSON.stringify(launch).replace(/priced [^"]+/, 'priced'), (key, value) =>
        key === 'since' || key === 'blocked_since' ? null : value,
      );
    const { alternatives: _, ...own } = timeless(JSON.parse(json.stdout).launches[0]);
    expect(own).toEqual({ source, ...timeless(answer.launches[0]) });
    expect(own.state).toBe(state);
    expect(table.code).toBe(code);
    expect(table.stdout).toContain(said);
  },
);

const watching = { ...production, launches: true };
const watched = (keys: object) => ({ ...watching, regions: [{ name: region, ...keys }] });
test.each([
  ['a template', 'lt-web00001:13', watched({ launch_templates: ['lt-web00001'] }), 0],
  ['all templates', 'lt-web00001:13', watched({ launch_templates: 'all' }), 0],
  ['a scaling group', 'asg-web00001:13', watched({ scaling_groups: ['asg-web00001'] }), 0],
  ['all scaling groups', 'asg-web00001:13', watched({}), 0],
  ['another template', 'lt-web00001:13', watched({ launch_templates: ['lt-web00002'] }), 2],
  ['no templates', 'lt-web00001:13', watched({}), 2],
  ['no scaling groups', 'asg-web00001:13', watched({ scaling_groups: [] }), 2],
  ['no launches', 'asg-web00001:13', { ...watched({}), launches: false }, 2],
  ['another version', 'lt-web00001@1:13', watched({ launch_templates: ['lt-web00001'] }), 2],
  ['an instance type', `C5.GONE8/${three}:1`, watched({ instance_types: ['C5.GONE8'] }), 2],
])(
  'in an account that is muted, where the daemon watches %s, check --launch=%s exits by it',
  async (_what, source, account, code) => {
    const thresholds = { overrides: [{ accounts: ['production'], muted: true }] };
    const config = await configWith([account], { thresholds });

    const result = await runHere(['check', config, `--launch=${source}`]);

    expect(result.code).toBe(code);
    expect(result.stdout).toContain(code === 0 ? '1 launch muted' : '1 launch blocked');
  },
);

test('a plan in an account that is muted is judged', async () => {
  const thresholds = { overrides: [{ accounts: ['production'], muted: true }] };
  const config = await configWith([watching], { thresholds });
  const plan = await planFile([{ of: 'instance', times: 13 }]);

  expect(await runHere(['check', config, `--plan=${plan}`])).toMatchObject({ code: 2 });
});

test('quotas that are low do not change what check --launch says', async () => {
  const thresholds = { warning: '99%', critical: '98%' };
  const config = await configWith([production], { thresholds });

  const source = '--launch=lt-web00001:12';
  expect(await runHere(['check', config, `--region=${region}`, source])).toMatchObject({ code: 0 });
});

test.each(Object.entries(cases.refused))(
  'check --launch=%s exits 3 before any request: %s',
  async (source, message) => {
    const { code, stderr } = await check(`--launch=${source}`);

    expect(code).toBe(3);
    expect(stderr).toContain(message);
    expect(emulator.requests.total).toBe(0);
  },
);

test.each([
  ['two accounts fit', [`--launch=C5.LARGE8/${three}:1`], 3],
  ['one is named', [`--launch=C5.LARGE8/${three}:1`, '--account=production'], 0],
  ['one names the template', ['--launch=lt-web00001:1'], 0],
])('check --launch where %s: %j exits %i', async (_what, flags, code) => {
  const naming = { ...production, regions: [{ name: region, launch_templates: ['lt-web00001'] }] };
  const config = await configWith([naming, { ...production, name: 'staging' }]);

  const result = await runHere(['check', config, ...flags]);

  expect(result.code).toBe(code);
  const names = 'ap-guangzhou of production, ap-guangzhou of staging';
  expect(result.stderr.includes(names)).toBe(code === 3);
});

test.each(Object.entries(cases.unknown))(
  'check --launch=%s exits 3 and says so: %j',
  async (source, [said, where = region]) => {
    const { code, stdout } = await check(`--launch=${source}`, `--region=${where}`);

    expect(code).toBe(3);
    expect(stdout).toContain(said);
  },
);

test('check --launch in a discovered region asks for no list of regions', async () => {
  const config = await configWith([{ ...production, regions: 'all' }]);

  const { code } = await runHere(['check', config, `--launch=C5.LARGE8/${three}:1`]);

  expect(code).toBe(0);
  expect(operations()).not.toContain('DescribeRegions');
});

test.each(Object.entries(cases.alternatives))(
  'a launch that is blocked names as alternatives %s',
  async (_what, { found, sources, subnets = [] }) => {
    const config = await configWith([{ ...production, regions: [{ name: region, subnets }] }]);

    const { stdout } = await runHere(['check', config, '--output=json', ...launchFlags(sources)]);

    interface Named extends Record<'instance_type' | 'zone' | 'change', string> {
      readonly stock_level: number | null;
      readonly subnets: readonly string[];
    }
    const [blocked]: { alternatives: Named[] }[] = JSON.parse(stdout).launches;
    const named = blocked!.alternatives.map((each) => {
      return [each.instance_type, each.zone, each.stock_level, ...each.subnets, each.change];
    });
    expect(named).toEqual(found);
  },
);

test('a launch that is blocked, and that no type is like, is polled for no alternatives', async () => {
  const { launches } = await judged(`C5.HUGE512/${three}:1`);

  expect(launches).toMatchObject([{ state: 'blocked', alternatives: [] }]);
  // Once for the launch, and once beside the types of its family.
  const polls = operations().filter((operation) => operation === 'DescribeAccountQuota');
  expect(polls).toHaveLength(2);
});

test('alternatives are named in Chinese, too', async () => {
  const { stdout } = await check(`--region=${region}`, '--launch=lt-web00001:13', '--lang=zh-CN');

  expect(stdout).toContain('Placement.Zone = "ap-guangzhou-4"，并选择那里的一个子网');
});

async function checkPlan(rows: readonly ResourceRow[]) {
  const { code, stdout, stderr } = await check(`--plan=${await planFile(rows)}`, '--output=json');
  expect(stdout + stderr).not.toContain('hunter2');
  return { code, ...JSON.parse(stdout) };
}

test.each(Object.entries(cases.plans))(
  'check --plan judges %s',
  async (_what, [rows, code, launch]) => {
    expect(await checkPlan(rows)).toMatchObject({ code, launches: [launch] });
  },
);

test.each(Object.entries(cases.unjudged))(
  'check --plan does not judge an instance %s, and says so',
  async (_what, [set, reason]) => {
    const result = await checkPlan([{ of: 'instance', set }]);

    const source = 'tencentcloud_instance.a';
    expect(result).toMatchObject({ code: 3, launches: [], not_judged: [{ source }] });
    expect(result.not_judged[0].reason).toContain(reason);
  },
);

test.each(Object.entries(cases.idle))(
  'check --plan with %s has nothing to judge',
  async (_what, rows) => {
    const { code, stdout } = await check(`--plan=${await planFile(rows)}`);

    expect(code).toBe(0);
    expect(stdout).toBe('FINE  nothing to judge\n');
    expect(emulator.requests.total).toBe(0);
  },
);

test('the resources of a plan, and launches beside them, are judged together', async () => {
  const workers = { of: 'workers', set: { worker_config: [{ count: 11 }] }, name: 'b' };
  const plan = `--plan=${await planFile([{ of: 'instance' }, workers])}`;

  const fits = await check(plan);
  const { code, stdout } = await check(plan, '--launch=lt-web00001:1', `--region=${region}`);

  expect(fits.code).toBe(0);
  expect(code).toBe(2);
  expect(stdout).toMatch(/0 addresses after lt-web00001:1, tencentcloud_instance\.a/);
});

test('a plan of 500 resources, half of them blocked, costs at most eight times one of 100', async () => {
  const secondsOf = async (count: number) => {
    const rows = Array.from({ length: count }, (_, i) => {
      const set = {
        instance_type: i % 2 === 0 ? 'C5.LARGE8' : 'C5.GONE8',
        subnet_id: '<computed>',
      };
      return { of: 'instance', name: `web${i}`, set };
    });
    const plan = `--plan=${await planFile(rows)}`;
    const before = process.cpuUsage();
    const { stdout } = await check(plan, '--output=json');
    expect(JSON.parse(stdout).launches).toHaveLength(count);
    return process.cpuUsage(before).user / 1e6;
  };
  await secondsOf(1);
  const few = await secondsOf(100);

  expect(await secondsOf(500)).toBeLessThan(8 * few);
});

test('check --plan=- reads standard input', async () => {
  const plan = planOf(resourcesOf(cases.resources, [{ of: 'instance', times: 13 }]));
  const stdin = vi.spyOn(process, 'stdin', 'get');
  stdin.mockReturnValue(Readable.from([Buffer.from(plan)]) as typeof process.stdin);

  const { code, stdout } = await check('--plan=-');

  stdin.mockRestore();
  expect(code).toBe(2);
  expect(stdout).toContain('tencentcloud_instance.a');
});

test.each([
  ['no JSON', 'a plan', 'is no plan in JSON'],
  ['the JSON of nothing', 'null', 'is no plan in JSON'],
  ['no plan', '{"format_version":"1.0","values":{}}', 'is no plan'],
  ['JSON of something else', '[]', 'is no plan'],
  ['a plan of another format version', planOf([], { format_version: '2.0' }), 'format version'],
  ['a plan that is not whole', planOf([], { errored: true }), 'ended with an error'],
  ['a plan without its configuration', planOf([], { configuration: undefined }), 'lacks'],
])('check --plan of %s exits 3 before any request', async (_what, text, message) => {
  const { code, stderr } = await check(`--plan=${await temporaryFile('plan.json', text)}`);

  expect(code).toBe(3);
  expect(stderr).toContain(message);
  expect(emulator.requests.total).toBe(0);
});

test('check --plan of a file that does not exist exits 3', async () => {
  const { code, stderr } = await check('--plan=/none/plan.json');

  expect(code).toBe(3);
  expect(stderr).toMatch(/^\/none\/plan\.json: the plan cannot be read: ENOENT.*\n$/);
});

test('--output=markdown is a table with the worst first, and text of a plan is no markup', async () => {
  const evil = { of: 'instance', set: { subnet_id: '<computed>' }, index: '`|<b>@all' };
  const workers = { of: 'workers', set: { worker_config: [{ count: 13 }] }, name: 'b' };

  const flags = [`--plan=${await planFile([evil, workers])}`, '--output=markdown'];
  const { code, stdout } = await check(...flags);

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

test('an alternative of a resource is lines of Terraform, and says by what it was judged', async () => {
  const plan = await planFile([{ of: 'instance', set: { instance_type: 'C5.GONE8' } }]);

  const { stdout } = await check(`--plan=${plan}`);

  expect(stdout).toMatch(/instead C5\.LARGE8 in ap-guangzhou-3: instance_type = "C5\.LARGE8"\s/);
  const ofFamily = parameters().filter((text) => text.includes('instance-family'));
  expect(ofFamily.filter((text) => text.includes('CN2'))).toHaveLength(1);
});
