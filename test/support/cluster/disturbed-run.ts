/** Disturbs a cluster many times while values change, and compares the counts. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ReceivedRequest } from '../../../src/emulator/emulator.ts';
import { Random } from '../random.ts';
import type { Samples } from '../samples.ts';
import { requestsPerSecond, startCluster, type ClusterWorld } from './cluster-world.ts';
import { ClusterLedger, countsOf } from './ledger.ts';
import { countersIn, growth, resets, scrapeWithPrometheus } from './scrapes.ts';

interface DisturbedWorld extends ClusterWorld {
  readonly random: Random;
  readonly lockMs: number;
}

type Disturbance = (world: DisturbedWorld) => Promise<void>;

const disturbances = {
  /** A daemon crashes, and starts again. */
  kill: async ({ lockMs, members, random }) => {
    const member = random.pick(members);
    await member.kill();
    await delay(random.next() * 2 * lockMs);
    await member.start();
  },
  /** A daemon stands still for longer than its lock, and goes on. */
  suspend: async ({ lockMs, members, random }) => {
    const member = random.pick(members);
    member.suspend();
    await delay(3 * lockMs);
    member.resume();
  },
  /** Redis crashes, and starts again. */
  redis: async ({ random, redis }) => {
    await redis.kill();
    await delay(random.next() * 1_500);
    await redis.restart();
  },
  /** The connections of a daemon to Redis break, and it gets no others for a time. */
  cut: async ({ lockMs, members, random }) => {
    const { network } = random.pick(members);
    network.cut();
    await delay(random.next() * 2 * lockMs);
    network.heal();
  },
  /** What a daemon and Redis send to each other arrives late. */
  hold: async ({ lockMs, members, random }) => {
    const { network } = random.pick(members);
    network.hold();
    await delay(random.next() * 3 * lockMs);
    network.heal();
  },
} satisfies Record<string, Disturbance>;

type DisturbanceName = keyof typeof disturbances;
const disturbanceNames = Object.keys(disturbances) as DisturbanceName[];

export interface DisturbedRun {
  /** Seed of all random choices. */
  readonly seed: number;
  readonly daemons: number;
  readonly accounts: number;
  readonly disturbances: number;
}

const lockMs = 2_000;
/** A reset would add the whole value of a counter. Scrapes that fail leave gaps in a test of a minute. */
const maxExtrapolation = 0.5;
/** Pauses between disturbances are shorter than a recovery. */
const longestPauseMs = 1_500;
/** A cluster must have recovered after this time, also on a busy machine. */
const patience = { timeout: 120_000, interval: 500 };

/** Expects that every change is counted once, that no counter falls, and that no rate is exceeded. */
export async function expectExactCounts(run: DisturbedRun): Promise<void> {
  const world = await startCluster({ ...run, schedule: '*/3 * * * * *', lock: `${lockMs}ms` });
  const random = new Random(run.seed);
  const ledger = new ClusterLedger(world.emulator, world.accounts);
  const prometheus = await scrapeWithPrometheus(world);
  await expect.poll(() => countersIn(prometheus), patience).toBe(ledger.expected.size);
  const requests = new RequestCollector(world);

  const ending = new AbortController();
  const living = live(world, ledger, new Random(run.seed + 1), ending.signal);
  const happened = new Map<DisturbanceName, number>();
  for (let i = 0; i < run.disturbances; i += 1) {
    const name = disturbanceNames[i % disturbanceNames.length]!;
    happened.set(name, (happened.get(name) ?? 0) + 1);
    await disturbances[name]({ ...world, random, lockMs });
    requests.collect();
    for (const { daemon, url } of world.members) {
      if (url !== null && daemon.hasExited) throw new Error(`ended:\n${daemon.everything()}`);
    }
    await delay(random.next() * longestPauseMs);
  }
  ending.abort();
  await living;
  await settle(world, ledger);
  requests.collect();
  console.log(
    summary(happened, ledger.changes, requests.all.length, world.highestRate(requests.all)),
  );

  expect(ledger.differences).toEqual([]);
  expect(await resets(prometheus)).toBe(0);
  await expect
    .poll(async () => {
      const found = await growth(prometheus);
      return [...ledger.expected].filter(([key, count]) => found.get(key)?.difference !== count);
    }, patience)
    .toEqual([]);
  const found = await growth(prometheus);
  const off = [...ledger.expected].map(
    ([key, count]) => Math.abs((found.get(key)?.increase ?? NaN) - count) / Math.max(1, count),
  );
  expect(Math.max(...off)).toBeLessThan(maxExtrapolation);
  expect(world.highestRate(requests.all)).toBeLessThanOrEqual(requestsPerSecond);
}

/** Scrapes one daemon after the other, and changes values. */
async function live(
  { members }: ClusterWorld,
  ledger: ClusterLedger,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const member = random.pick(members);
    const begunAtMs = performance.now();
    const samples = await member.scrape();
    if (samples !== null) ledger.observe(samples, member.name, begunAtMs);
    ledger.changeSome(random, 0.2);
    await delay(random.integer(100, 300), undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until every daemon shows the present state, and compares its counters. */
async function settle({ members }: ClusterWorld, ledger: ClusterLedger): Promise<void> {
  for (const member of members) {
    const shown: Samples[] = [];
    await expect
      .poll(async () => {
        const begunAtMs = performance.now();
        const samples = await member.scrape();
        if (samples === null) return false;
        ledger.observe(samples, member.name, begunAtMs);
        shown.push(samples);
        return ledger.isShownBy(samples) && countsOf(samples).size > 0;
      }, patience)
      .toBe(true);
    for (const samples of shown.slice(-1)) ledger.compare(countsOf(samples), member.name);
  }
}

/** The emulator keeps only its latest requests. */
class RequestCollector {
  readonly all: ReceivedRequest[] = [];
  readonly #world: ClusterWorld;
  #seen = 0;

  constructor(world: ClusterWorld) {
    this.#world = world;
  }

  collect(): void {
    const { requests } = this.#world.emulator;
    const fresh = requests.total - this.#seen;
    this.#seen = requests.total;
    if (fresh > 0) this.all.push(...requests.list().slice(-fresh));
  }
}

function summary(
  happened: ReadonlyMap<DisturbanceName, number>,
  changes: number,
  requests: number,
  rate: number,
): string {
  const names = [...happened].map(([name, count]) => `${count} ${name}`).join(', ');
  return `${names}: ${changes} changes, ${requests} requests, at most ${rate} a second`;
}
