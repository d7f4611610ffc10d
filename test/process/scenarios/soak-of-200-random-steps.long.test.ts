/**
 * 200 random steps: changes at the service, faults, reloads, kills, restarts and a disk that is full. At the end,
 * counters and feed say what the service's own list of changes says. Most of a step is waiting, so four daemons, each with a
 * service, take a quarter of the steps each. `SEED=… ` repeats a run, `STEPS=…` makes it longer.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CountedValues, isCounted } from '../../support/counted-values.ts';
import { Random } from '../../support/random.ts';
import { smallDisk } from '../../support/disks.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { configOf, spawnDaemon } from '../../support/program.ts';
import { startService, type Fault } from '../../support/service.ts';

const firstSeed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const sideBySide = 4;
const steps = Number(process.env.STEPS ?? 200) / sideBySide;
const regions = ['ap-guangzhou', 'ap-shanghai', 'ap-beijing'];
const templates = ['lt-first001', 'lt-second02'];
const faults: readonly Fault[] = [
  { error: 'InternalError' },
  { error: 'UnauthorizedOperation' },
  { error: 'RequestLimitExceeded', times: 3 },
  { hangs: true },
  { resets: true },
  { status: 502 },
  { delayMs: 600 },
  { body: '{"Response":' },
];

test(
  'After 200 random steps, each change of the service was counted once, and none was invented',
  { timeout: 1_200_000 },
  async () => {
    console.log(`SEED=${firstSeed} repeats this run`);
    await Promise.all(Array.from({ length: sideBySide }, (_, n) => walk(firstSeed + n)));
  },
);

/** A record remembers 20 changes. Those of one poll, at most 6, may have another order in it. */
const recentChanges = 14;

/** The value that a line of the feed is about. */
const valueOf = (line: string) => line.slice(0, line.indexOf(': '));
/** All quotas of a region are one target. */
const targetOf = (line: string) => valueOf(line).replace(/^.*\/(.*)-\d+$/, '$1');

/** Takes the steps of one daemon. */
async function walk(seed: number): Promise<void> {
  const random = new Random(seed);
  const service = await startService();
  // This process may see arrivals late. The rate has a scenario of its own.
  service.limitPerSecond = Infinity;
  const disk = await smallDisk();
  for (const name of regions) {
    const region = service.region(name, { zones: [`${name}-1`, `${name}-2`] });
    for (const id of templates) {
      region.createTemplate(`${id}-${name}`, { versions: [1, 2, 3, 40], default: 1 });
    }
  }
  const places = regions.map((name) => ({ account: 'production', region: service.region(name) }));
  const values = new CountedValues(service, places, ['postpaid', 'prepaid', 'spotpaid']);

  const configured = (watched: readonly string[], warning: string) =>
    configOf(service, {
      api: { timeout: '1s', max_attempts: 2, requests_per_second: 20 },
      thresholds: { warning },
      regions: watched.map((name) => ({
        name,
        launch_templates: templates.map((id) => `${id}-${name}`),
      })),
    });
  const daemon = await spawnDaemon({
    config: configured(regions, '20%'),
    storagePath: join(disk?.directory ?? (await temporaryDirectory()), 'data'),
  });
  // The first success of a target is its baseline. What changes before it is no change.
  await daemon.metricsWhen((samples) => {
    const up = samples.matching('cvm_monitor_target_up');
    return up.length > 0 && up.every(({ value }) => value === 1);
  });

  /** Starts the next process. Without space it may refuse to start: then there is space again. */
  async function startAgain(): Promise<void> {
    daemon.spawn();
    const exit = await Promise.race([daemon.ready().catch(() => null), daemon.exited]);
    if (exit === undefined) return;
    expect(disk?.isFull(), `it ended:\n${daemon.everything()}`).toBe(true);
    await disk?.free();
    daemon.spawn();
    await daemon.ready();
  }

  /** Compares a scrape with the service's list of changes. */
  async function look(): Promise<void> {
    const wasFull = disk?.isFull() === true;
    const [first, ...troubles] = (await daemon.text('/-/ready')).trim().split('\n');
    const begunAtMs = performance.now();
    const samples = await daemon.metrics();
    const isStored = first?.startsWith('ready') === true && troubles.length === 0 && !wasFull;
    values.observe(samples, begunAtMs, isStored);
  }

  let endFault = (): void => undefined;
  let watched = regions;
  const actions: Readonly<Record<string, () => Promise<void> | void>> = {
    change: () => {
      values.changeSome(random, 0.4);
    },
    fault: () => {
      endFault();
      endFault = service.fault({ region: random.pick(regions), ...random.pick(faults) }).end;
    },
    calm: () => {
      endFault();
    },
    reload: async () => {
      watched = regions.filter(() => random.chance(0.8));
      if (watched.length === 0) watched = regions;
      const status = await daemon.reload(configured(watched, random.pick(['20%', '30%'])));
      expect(status).toBe(200);
    },
    kill: async () => {
      await daemon.stop('SIGKILL');
      await startAgain();
    },
    restart: async () => {
      const exit = await daemon.stop(random.pick(['SIGTERM', 'SIGINT']));
      expect(exit).toEqual({ code: 0, signal: null });
      await startAgain();
    },
    disk: () => (disk?.isFull() === true ? disk.free() : disk?.fill()),
  };
  const odds = {
    ...{ change: 0.55, fault: 0.1, calm: 0.06, reload: 0.09, kill: 0.08, restart: 0.05 },
    disk: 0.07,
  };
  const done: string[] = [];
  try {
    for (let step = 1; step <= steps; step += 1) {
      let left = random.next();
      const [name = 'change'] = Object.entries(odds).find(([, odd]) => (left -= odd) < 0) ?? [];
      done.push(name);
      await actions[name]?.();
      await delay(random.integer(0, 1_500));
      await look();
    }
    endFault();
    await disk?.free();
    await daemon.reload(configured(regions, '20%'));
    await expect
      .poll(
        async () => {
          await look();
          return values.unsettled();
        },
        { timeout: 60_000 },
      )
      .toEqual([]);
    await daemon.restart();
    expect(values.differences(await daemon.cycle())).toEqual([]);
    await compareFeed();
  } catch (error) {
    console.error(
      `SEED=${firstSeed}, daemon ${seed - firstSeed}: after ${done.join(' ')}\n${daemon.everything().slice(-8_000)}`,
    );
    throw error;
  }

  /** Every row of the feed is a change of the service, and the latest ones of each target are in the feed. */
  async function compareFeed(): Promise<void> {
    const lines = service.changes.filter(isCounted).map(({ kind, what, from, to }) => {
      const moved = (to ?? 0) > (from ?? 0) ? 'quota-limit-raised' : 'quota-limit-lowered';
      return `${what}: ${kind === 'limit' ? moved : 'default-version-changed'} ${from} → ${to}`;
    });
    const unclaimed = [...lines];
    for (const row of await daemon.feed()) {
      const index = unclaimed.indexOf(row);
      expect(index, `the service did not change ${row} so often`).toBeGreaterThanOrEqual(0);
      unclaimed.splice(index, 1);
    }
    const feed = new Set(await daemon.feed());
    for (const target of new Set(lines.map(targetOf))) {
      const recent = lines.filter((line) => targetOf(line) === target).slice(-recentChanges);
      for (const what of new Set(recent.map(valueOf))) {
        const last = recent.findLast((line) => valueOf(line) === what)!;
        expect(feed, last).toContain(last);
      }
    }
  }

  const changes = service.changes.filter(isCounted).length;
  const kinds = [...new Set(done)].map(
    (kind) => `${done.filter((name) => name === kind).length} ${kind}`,
  );
  console.log(`${changes} changes; ${kinds.join(', ')}`);
}
