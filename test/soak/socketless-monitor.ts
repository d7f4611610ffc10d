/**
 * The parts of the daemon from request to scrape, with an emulator in this process. The test controls the
 * time. It is for so many cycles that sockets and files would take hours. The parts are connected as in
 * src/daemon/daemon.ts.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { collectors } from '../../src/collectors/collectors.ts';
import { createRequestCounts } from '../../src/daemon/api-observer.ts';
import { type Emulator, createEmulator } from '../../src/emulator/emulator.ts';
import { RenderQueue } from '../../src/expose/answers.ts';
import { createScrapeHandler } from '../../src/expose/metrics/exposition.ts';
import { createProcessMetrics } from '../../src/expose/metrics/monitor-metrics.ts';
import { createEvaluator } from '../../src/expose/evaluation.ts';
import { PublishedRecords } from '../../src/model/published-records.ts';
import { type Target, targetKey } from '../../src/model/target.ts';
import { PollLog } from '../../src/poll/poll-log.ts';
import { createPollTarget, type UpdateRecord } from '../../src/poll/poll-target.ts';
import type { PollPlan } from '../../src/poll/poller-contracts.ts';
import { Poller } from '../../src/poll/poller.ts';
import { createLocalRecords } from '../../src/storage/local-records.ts';
import { observedClient } from '../support/api-client.ts';
import { noClients } from '../support/exposed-metrics.ts';
import { parseExposition } from '../support/exposition.ts';
import { connected, FakeMonitor, quotaTarget, templateTarget } from '../support/fake-monitor.ts';
import { type AnswerBody, InProcessTransport } from '../support/in-process-transport.ts';
import { silentLogger } from '../support/loggers.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import type { Random } from '../support/random.ts';

const clock = { now: () => Date.now() };
const periodMs = 60_000;
const noTimer = {
  start: () => undefined,
  configure: () => false,
  stop: () => undefined,
  nextRunMs: () => null,
};

export class SocketlessMonitor {
  readonly published = new PublishedRecords();
  readonly #measured = createProcessMetrics();
  readonly #requests = createRequestCounts(this.#measured, silentLogger);
  readonly #scrape: ReturnType<typeof createScrapeHandler>;
  readonly #poller: Poller;
  readonly #records = createLocalRecords({
    store: createMemoryStore(),
    collectors,
    published: this.published,
    clock,
    logger: silentLogger,
    observedPeriodMs: 5,
  });
  #plan: PollPlan = { accounts: [], targetsOf: () => [], get: () => undefined };
  #isTidying = false;
  #cycles = 0;
  /** Whether the plan changed since the poller asked last. */
  #isReplanned = false;

  /** Controls the time of the process until the test ends. */
  constructor(targets: readonly Target[], answer: AnswerBody) {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 0, 1) });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const fake = new FakeMonitor();
    const view = {
      ...fake.view,
      published: this.published,
      clock,
      status: () => ({ ...fake.status, cycles: this.#poller.stats() }),
      api: () => ({ ...noClients, requests: this.#requests.all() }),
    };
    this.#scrape = createScrapeHandler({
      evaluator: createEvaluator(view),
      processMetrics: this.#measured,
      queue: new RenderQueue(0),
    });
    this.#poller = this.#createPoller(targets, new InProcessTransport(answer));
    this.watch(targets);
  }

  /** Watches these targets and no others. They belong to the accounts of the first ones. */
  watch(targets: readonly Target[]): void {
    const byKey = new Map(targets.map((target) => [targetKey(target), target]));
    this.#plan = {
      accounts: [...new Set(targets.map(({ account }) => account))],
      targetsOf: (account) => targets.filter((target) => target.account === account),
      get: (key) => byKey.get(key),
    };
    this.published.setTargets(targets, (target) => collectors.of(target));
    this.#requests.follow(this.#plan.accounts, targets);
    this.#isReplanned = true;
  }

  /** Lets 31 days pass, and waits until the records of targets that are gone are removed. */
  async month(): Promise<void> {
    vi.advanceTimersByTime(31 * 24 * 60 * periodMs);
    if (!this.#isTidying) {
      this.#isTidying = true;
      this.#records.start();
      onTestFinished(() => this.#records.close());
    }
    while (this.published.gone().length > 0) await delay(5);
  }

  /** The number of completed cycles. */
  get cycles(): number {
    return this.#cycles;
  }

  /** Moves the time forward by a minute, and polls every target. */
  async cycle(): Promise<void> {
    vi.advanceTimersByTime(periodMs);
    const how = { missed: 0, onlyNew: false };
    await Promise.all(this.#plan.accounts.map((each) => this.#poller.runCycle(each, null, how)));
    this.#cycles += 1;
  }

  /** Scrapes both formats, plain and compressed. Returns the number of series, without those of Node. */
  async seriesCount(): Promise<number> {
    const accept = 'application/openmetrics-text';
    const scrape = (headers: IncomingHttpHeaders) => this.#scrape({ headers, socket: connected });
    await scrape({ accept, 'accept-encoding': 'gzip' });
    const text = (await scrape({})).body.toString();
    return [...parseExposition(text).series.keys()].filter((name) => name.startsWith('cvm_'))
      .length;
  }

  #createPoller(targets: readonly Target[], transport: InProcessTransport): Poller {
    const clientOf = (account: string) =>
      observedClient('http://service', {
        account,
        identity: account,
        maxAttempts: 1,
        observer: this.#requests.observer,
        transport,
      });
    const accounts = new Set(targets.map(({ account }) => account));
    const clients = new Map([...accounts].map((account) => [account, clientOf(account)]));
    const update: UpdateRecord = (target, updater) => this.#records.update(target, updater);
    const currentPlan = () => this.#plan;
    const followPlan = () => {
      const isReplanned = this.#isReplanned;
      this.#isReplanned = false;
      return isReplanned;
    };
    return new Poller({
      plan: {
        get current() {
          return currentPlan();
        },
        follow: followPlan,
      },
      settings: () => ({ jitterMs: 0, minDeadlineMs: periodMs, staleAfterMs: Infinity }),
      timer: noTimer,
      pollTarget: createPollTarget({
        collectors,
        ask: (target, context) => clients.get(target.account)!.poll(target, context),
        update,
        clock,
        log: new PollLog(silentLogger),
        trendStepMs: () => periodMs,
      }),
      update,
      isShared: false,
      collectors,
      published: this.published,
      logger: silentLogger,
      clock,
      random: () => 0,
    });
  }
}

const template = { id: 'lt-b8v1kcyq', versions: [1, 2, 3] };
const accounts = Array.from({ length: 10 }, (_, i) => `account-${i}`);
const regions = Array.from(
  { length: 15 },
  (_, i) => `ap-region${String.fromCharCode('a'.charCodeAt(0) + i)}`,
);
export const targets: readonly Target[] = accounts.flatMap((account) =>
  regions.flatMap((region) => [
    quotaTarget(account, region),
    templateTarget(account, region, template.id),
  ]),
);

/** The service of {@link targets}. */
export function startRegions(): Promise<Emulator> {
  const quota = { used: 3, limit: 100 };
  return createEmulator({
    clock: { now: () => Date.now() },
    scenario: {
      requests_per_second: 1_000,
      accounts: [
        {
          name: 'all',
          regions: regions.map((name) => ({
            name,
            zones: [1, 2].map((n) => ({ name: `${name}-${n}`, postpaid: quota, spotpaid: quota })),
            image: quota,
            launch_templates: [{ ...template, default_version: 1 }],
          })),
        },
      ],
    },
  });
}

/** Small changes that users make in every region. */
export function useRegions(emulator: Emulator, random: Random): void {
  for (const region of regions) useRegion(emulator, region, random);
}

function useRegion(emulator: Emulator, region: string, random: Random): void {
  const zonal = { region, zone: `${region}-1`, quota_type: 'postpaid' } as const;
  emulator.do({ do: 'set-used', ...zonal, used: random.integer(0, 50) });
  emulator.do({ do: 'set-limit', ...zonal, limit: random.integer(60, 100) });
  const version = random.pick(template.versions);
  emulator.do({ do: 'set-default-version', region, template_id: template.id, version });
}
