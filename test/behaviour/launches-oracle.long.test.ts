/**
 * Random worlds of launches, judged by the program and by an own judge. `SEED=…` repeats a run from its first world,
 * `WORLDS=1` makes it that world only.
 */
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Transport } from '../../src/api/transport.ts';
import { BoundedCalls } from '../../src/bounded-calls.ts';
import { collectors } from '../../src/collectors/collectors.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createRequestCounts } from '../../src/daemon/api-observer.ts';
import { createClients } from '../../src/daemon/clients.ts';
import { createCurrentPlan } from '../../src/daemon/current-plan.ts';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http/server.ts';
import { targetKey } from '../../src/model/target.ts';
import { PollLog } from '../../src/poll/poll-log.ts';
import { createPollTarget, type UpdateRecord } from '../../src/poll/poll-target.ts';
import { Poller } from '../../src/poll/poller.ts';
import { createLocalRecords } from '../../src/storage/local-records.ts';
import { temporaryFile } from '../support/directories.ts';
import { Samples } from '../support/exposition.ts';
import { FakeMonitor, notMeasured } from '../support/fake-monitor.ts';
import { runHere } from '../support/in-process.ts';
import type { Ask, Json } from '../support/launch-answers.ts';
import { LaunchOracle, severities, stops, type Verdict } from '../support/launch-oracle.ts';
import { type Moment, type World, worldOf } from '../support/launch-worlds.ts';
import { silentLogger } from '../support/loggers.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { startMonitor } from '../support/monitor.ts';

/** In the gate, a change fails by its own faults only: the worlds are the same each time. */
const firstSeed = Number(
  process.env.SEED ?? (process.env.CI === 'true' ? 1 : Math.floor(Math.random() * 2 ** 31)),
);
const seeds = Array.from({ length: Number(process.env.WORLDS ?? 300) }, (_, i) => firstSeed + i);

/** The service as it is at the present moment of a world, and what it has replied to the judge. */
let service: Emulator;
const replies = new Map<string, Json>();

beforeAll(() => {
  console.log(`SEED=${firstSeed} repeats this run`);
});

/** The reply to a request without a signature. */
function reply(region: string, Action: string, parameters: object): Json {
  const isOfGroups = /AutoScalingGroups|LaunchConfigurations/.test(Action);
  const Version = isOfGroups ? '2018-04-19' : '2017-03-12';
  const common = { Action, Region: region, Version };
  const query = new URLSearchParams({ ...common, ...(parameters as Record<string, string>) });
  const target = `/?${query.toString()}`;
  if (!replies.has(target)) {
    const request = { method: 'GET', target, headers: { host: '127.0.0.1' } };
    const { status, body } = service.handle(request);
    replies.set(target, status === 200 ? JSON.parse(body).Response : { Error: { Code: '' } });
  }
  return replies.get(target);
}

/** The service of the international site filters stock by charge type only. */
const askIn =
  (region: string, { site }: World): Ask =>
  (operation, parameters = {}) => {
    const isFiltered = site === 'domestic' || operation !== 'DescribeZoneInstanceConfigInfos';
    const all = Object.entries(parameters);
    const sent = isFiltered ? all : all.filter(([name]) => name.startsWith('Filters.1'));
    return reply(region, operation, Object.fromEntries(sent));
  };

/** Makes the service that of a moment. */
async function bring({ scenario, faults, edits }: Moment): Promise<void> {
  replies.clear();
  service = await createEmulator({ scenario });
  for (const fault of faults) service.faults.add(fault);
  for (const { operation, region, set, to, twice } of edits) {
    const template = { LaunchTemplateId: 'lt-aaaaaaa1' };
    const isOfTemplate = operation === 'DescribeLaunchTemplateVersions';
    const response = reply(region, operation, isOfTemplate ? template : {});
    const sets = response?.AccountQuotaOverview?.AccountQuota ?? response;
    if (!Array.isArray(sets?.[set])) continue;
    const rows: Json[] = sets[set];
    sets[set] = twice ? [...rows, ...rows.slice(0, 1).map((row) => ({ ...row, ...twice }))] : to;
    if (Array.isArray(sets[set]) && sets[set].length === 0) response.TotalCount = 0;
    service.faults.add({
      effect: 'http-status',
      status: 200,
      content_type: 'application/json',
      body: JSON.stringify({ Response: response }),
      operation: operation as 'DescribeSubnets',
      region,
    });
  }
  replies.clear();
}

const configOf = (
  { overrides, quota_types, regions, site, stale_after }: World,
  endpoint: string,
) => ({
  poll: { stale_after },
  api: { endpoint, max_attempts: 1, proxy: 'none' as const, requests_per_second: 20 },
  thresholds: { overrides },
  accounts: [
    {
      name: 'production',
      credentials: { type: 'none' as const },
      site,
      launches: true,
      ...(site === 'domestic' && { quota_types }),
      regions: regions.map(({ quota_types: _types, overrides: _overrides, ...region }) => region),
    },
  ],
});

/** The daemon as it is, with sockets and files. It has run a cycle. */
async function startedMonitor(world: World) {
  const clock = { now: Date.now };
  const server = await serve((request) => service.handle(request), clock, local);
  onTestFinished(server.close);
  const monitor = await startMonitor({
    config: ({ endpoint }) => configOf(world, endpoint),
    emulator: Object.assign(service, server),
  });
  await monitor.until(async () => (await monitor.samples()).sum('cvm_monitor_cycles_total') > 0);
  return {
    endpoint: server.url,
    text: async (path: string) => (await monitor.get(path)).text(),
    metrics: monitor.text,
    cycle: () => monitor.cycle(cycleMs),
  };
}
const local = { host: '127.0.0.1', port: 0 };
const cycleMs = 3_660_000;

/** The daemon without sockets and files, which take most of the time: its parts are connected as in src/daemon/daemon.ts. */
async function monitorOf(world: World) {
  const sent = vi.spyOn(Transport.prototype, 'send');
  onTestFinished(() => {
    sent.mockRestore();
  });
  sent.mockImplementation((_origin, { body, headers, path }) => {
    const method = body === null ? 'GET' : 'POST';
    const request = { method, target: path, headers: { host: '127.0.0.1', ...headers } };
    const { body: answer, status } = service.handle({
      ...request,
      ...(body !== null && { body: Buffer.from(body) }),
    });
    return Promise.resolve({ status, date: null, body: answer });
  });
  const monitor = new FakeMonitor();
  const { published } = monitor;
  const endpoint = 'http://127.0.0.1';
  const { clock } = monitor.view;
  const logger = silentLogger;
  const config = parseConfig(JSON.stringify(configOf(world, endpoint)), 'test', collectors);
  const { staleAfterMs } = config.poll;
  Object.assign(monitor, { staleAfterMs, thresholds: config.thresholds });
  const plan = createCurrentPlan(config, {
    ...{ collectors, published, requests: createRequestCounts(notMeasured, logger), logger },
  });
  const runtime = { clock, random: () => 0, env: {}, fileCalls: new BoundedCalls() };
  const observed = { observer: {}, userAgent: 'test' };
  const clients = createClients({ ...runtime, ...observed, config, collectors });
  const store = createMemoryStore();
  const records = createLocalRecords({ store, collectors, published, clock, logger });
  const update: UpdateRecord = (target, updater) => records.update(target, updater);
  const pollTarget = createPollTarget({
    ...{ collectors, update, clock, log: new PollLog(logger), trendStepMs: () => 600_000 },
    ask: (target, context) => clients.poll(target, context, published.get(targetKey(target))),
  });
  const stopped = { start: () => undefined, configure: () => false, stop: () => undefined };
  const poller = new Poller({
    ...{ collectors, plan, published, pollTarget, update, logger, clock, random: () => 0 },
    ...{ timer: { ...stopped, nextRunMs: () => null }, isShared: false },
    settings: () => ({ jitterMs: 0, minDeadlineMs: 0, staleAfterMs }),
  });
  plan.configure(config);
  const cycle = async () => {
    monitor.nowMs += cycleMs;
    await poller.runCycle('production', null, { missed: 0, onlyNew: false });
  };
  await cycle();
  const text = (path: string) => monitor.text(path);
  return { endpoint, text, metrics: () => monitor.metrics(), cycle };
}

/** The JSON of launches, and of `check`. */
interface Report extends Readonly<Record<'launches' | 'not_judged' | 'quotas', readonly Json[]>> {
  readonly targets: readonly Readonly<
    Record<'operation' | 'region', string> & Record<'up' | 'incomplete', boolean>
  >[];
}

/** Its series have no charge type. */
const nameOfGroup = (name: string) => `${name.split(' ').slice(0, 2).join(' ')} `;

const nameOf = ({ scaling_group_id: group, ...labels }: Json) => {
  const { charge_type, instance_type, region, template_id, zone } = labels;
  const option = group ? [group] : [template_id, zone, instance_type];
  return [region, ...option, charge_type].map((each) => each ?? '').join(' ');
};

/** A launch in a line, such as `…: blocked 0 (1 × version 2), quota 20, stock 0 sold-out/critical, subnet unknown`. */
function lineOf(name: string, { count, headroom, missing, parts, state, version }: Json): string {
  const texts = (parts as Json[]).map(({ holds, known, part, reason, severity }) => {
    const blocks = reason === undefined ? '' : ` ${reason}/${severity}`;
    return `${part} ${known ? holds : 'unknown'}${blocks}`;
  });
  const what = missing !== undefined ? `${missing} missing` : `version ${version}`;
  return `${name}: ${state} ${headroom} (${count} × ${what}), ${texts.join(', ')}`;
}

const linesOf = ({ launches, not_judged: others }: Report) => [
  ...launches.map((each) => lineOf(nameOf(each), each)),
  ...others.map(
    (each) => `${each.region} ${each.template_id ?? ''}${each.scaling_group_id ?? ''}: not judged`,
  ),
];

const families = /^cvm_(?:launch_(headroom|unknown|blocked|severity)|scaling_group_(missing))\b/;
const samplesIn = (text: string) => {
  const lines = text.split('\n').filter((line) => families.test(line));
  return new Samples(lines.join('\n')).all.map(({ labels, name, value }) => {
    const [, ofLaunch, family = ofLaunch] = families.exec(name)!;
    const { part = '', reason = part, severity = '' } = labels;
    return `${nameOf(labels)}: ${[family, reason, severity].join(' ').trim()} ${value}`;
  });
};

const reasonsOf: Readonly<Record<string, readonly string[]>> = {
  version: ['refused'],
  quota: ['quota'],
  stock: ['sold-out', 'not-offered'],
  disk: ['disk'],
  'placement group': ['placement-group'],
  subnet: ['subnet'],
  group: ['group'],
};

/** How many launches the verdict counts, by what it says of them. */
const clauses: Readonly<Record<string, RegExp>> = {
  blocked: /(\d+) launch(?:es)? blocked/g,
  'at risk': /(\d+) launch(?:es)? at risk/g,
  unknown: /(\d+) launch(?:es)? not known to succeed/g,
  'not judged': /(\d+) launch(?:es)? not judged/g,
  'not asked for': /quota of (\d+) launch(?:es)? is not asked for/g,
  ...Object.fromEntries(
    Object.keys(reasonsOf).map((part) => [
      `${part} not asked`,
      new RegExp(`(?<!placement )${part} of (\\d+) launch(?:es)? not asked`, 'g'),
    ]),
  ),
};
const clausesIn = (verdict: string) =>
  Object.entries(clauses).map(([state, pattern]) => {
    const counts = [...verdict.matchAll(pattern)].map(([, count]) => Number(count));
    return `${counts.reduce((sum, count) => sum + count, 0)} ${state}`;
  });

/** What the judges of the regions say of all launches, in the words of the program. */
function judged(oracles: ReadonlyMap<string, LaunchOracle>) {
  const lines: string[] = [];
  const samples: string[] = [];
  const states: string[] = [];
  const add = (name: string, said: Verdict & { count: number | null }) => {
    const { headroom, missing, parts, state } = said;
    const json = parts.map(({ holds, isWarning, part, reason }) => ({
      ...{ part, known: holds !== undefined },
      holds: holds === Infinity ? null : (holds ?? null),
      ...(reason !== undefined && { reason, severity: isWarning ? 'warning' : 'critical' }),
    }));
    lines.push(lineOf(name, { ...said, parts: json }));
    if (headroom !== null) samples.push(`${name}: headroom ${headroom}`);
    if (typeof missing === 'number') samples.push(`${nameOfGroup(name)}: missing ${missing}`);
    states.push(state);
    if (state === 'muted') return;
    if (parts.every(({ part }) => part !== 'quota')) states.push('not asked for');
    const asked = parts.filter(({ isDenied }) => !isDenied);
    for (const { holds, part } of asked) {
      samples.push(`${name}: unknown ${part} ${Number(holds === undefined)}`);
    }
    const known = asked.filter(({ holds }) => holds !== undefined);
    const blocking = known.filter(stops).map(({ reason = '' }) => reason);
    for (const reason of new Set([...known.flatMap(({ part }) => reasonsOf[part]!), ...blocking])) {
      samples.push(`${name}: blocked ${reason} ${Number(blocking.includes(reason))}`);
    }
    for (const { isWarning, reason } of severities(parts)) {
      samples.push(`${name}: severity ${reason} ${isWarning ? 'warning' : 'critical'} 1`);
    }
    if (said.isShort) samples.push(`${name}: severity short warning 1`);
    states.push(...parts.flatMap(({ isDenied, part }) => (isDenied ? `${part} not asked` : [])));
  };
  for (const [region, oracle] of oracles) {
    for (const { charge, count = null, template, type, ...launch } of oracle.verdicts()) {
      const option = { zone: launch.zone, instance_type: type, charge_type: charge };
      add(nameOf({ region, template_id: template, ...option }), { ...launch, count });
    }
    for (const { charge, count = null, id, mixed, ...group } of oracle.groupVerdicts()) {
      const charge_type = mixed ? 'mixed' : charge;
      add(nameOf({ region, scaling_group_id: id, charge_type }), { ...group, count });
    }
    for (const { id, unjudged } of oracle.answers.notJudged()) {
      lines.push(`${region} ${id}: not judged`);
      if (!oracle.isMuted({ id, template: id }) && unjudged !== 'none') states.push('not judged');
    }
  }
  const counts = Object.keys(clauses).map(
    (state) => `${states.filter((each) => each === state).length} ${state}`,
  );
  return { lines, samples, states, counts };
}

/** The exit code by the states of launches, and by what the program says of quotas and targets. */
function exitCode(
  states: readonly string[],
  { quotas, targets }: Report,
  oracles: ReadonlyMap<string, LaunchOracle>,
): number {
  const ofQuotas = quotas.map(({ severity }) => severity);
  if (states.includes('blocked') || ofQuotas.includes('critical')) return 2;
  const isUp = targets.every(
    ({ incomplete, operation, region, up }) =>
      (up && !incomplete) || oracles.get(region)!.isDenied(operation),
  );
  if (states.includes('unknown') || states.includes('not judged') || !isUp) return 3;
  return states.includes('at risk') || ofQuotas.includes('warning') ? 1 : 0;
}

/** What one of two says and the other does not. */
function differences(when: string, program: readonly string[], judge: readonly string[]): string[] {
  const only = (name: string, own: readonly string[], others: readonly string[]) =>
    own.filter((line) => !others.includes(line)).map((line) => `${when}: ${line} ← ${name}`);
  return [...only('program', program, judge), ...only('judge', judge, program)].toSorted();
}

test.each(seeds)('world %i: launches are as the own judge says', async (seed) => {
  const world = worldOf(seed);
  const newOracles = (isPriced = (_region: string) => (_template: string) => true) =>
    new Map(
      world.regions.map((config) => [config.name, new LaunchOracle(config, isPriced(config.name))]),
    );
  const poll = (all: ReadonlyMap<string, LaunchOracle>) => {
    for (const [region, { answers }] of all) answers.poll(askIn(region, world));
  };
  const oracles = newOracles();
  await bring(world.moments[0]!);
  // A fault in how the daemon connects its parts shows in these only.
  const monitor = seed % 10 === 0 ? await startedMonitor(world) : await monitorOf(world);
  const found: string[] = [];
  for (const [n, moment] of world.moments.entries()) {
    if (n > 0) {
      await bring(moment);
      await monitor.cycle();
    }
    poll(oracles);
    const page = await monitor.text('/');
    const [, verdict = ''] = /<div class="verdict \w+">([^]*?)<\/div>/.exec(page) ?? [];
    const said = [
      ...linesOf(JSON.parse(await monitor.text('/api/v1/launches')) as Report),
      ...samplesIn(await monitor.metrics()),
      ...clausesIn(verdict.replaceAll(/\s+/g, ' ')),
    ];
    const { counts, lines, samples } = judged(oracles);
    found.push(...differences(`cycle ${n + 1}`, said, [...lines, ...samples, ...counts]));
  }
  // It asks for the prices of what is blocked without them.
  const unpriced = newOracles(() => () => false);
  poll(unpriced);
  const isBlocked = (region: string) => (template: string) =>
    unpriced
      .get(region)!
      .verdicts()
      .some((each) => each.template === template && each.state === 'blocked');
  const once = newOracles(isBlocked);
  poll(once);
  const file = await temporaryFile(
    'config.yaml',
    JSON.stringify(configOf(world, monitor.endpoint)),
  );
  const { code, stdout } = await runHere(['check', `--config.file=${file}`, '--output=json']);
  const report = JSON.parse(stdout) as Report;
  const { lines, states } = judged(once);
  const [said, expected] = [`code ${code}`, `code ${exitCode(states, report, once)}`];
  found.push(...differences('check', [...linesOf(report), said], [...lines, expected]));
  expect(found, `SEED=${seed} WORLDS=1`).toEqual([]);
});
