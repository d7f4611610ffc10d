/**
 * The parts of the daemon from request to scrape, with an emulator in this process. The test controls the
 * time. It is for so many cycles that sockets and files would take hours. The parts are connected as in
 * src/daemon/daemon.ts.
 */
import { collectors } from '../../src/collectors/collectors.ts';
import { onTestFinished, vi } from 'vitest';
import { LargeAnswers } from '../../src/api/answer-body.ts';
import { YieldQueue } from '../../src/api/yield-queue.ts';
import { createRetryingCall } from '../../src/api/retrying-call.ts';
import type { ClientOptions } from '../../src/api/options.ts';
import { noCredentials } from '../../src/api/credentials/none.ts';
import { recordFamilies } from '../../src/expose/metrics/families.ts';
import { silentObserver } from '../../src/api/observer.ts';
import { RateLimits } from '../../src/api/rate-limits.ts';
import { Routes } from '../../src/api/routes.ts';
import { ServiceClock } from '../../src/api/service-clock.ts';
import { Exposition } from '../../src/expose/metrics/exposition.ts';
import { MonitorMetrics } from '../../src/expose/metrics/monitor-metrics.ts';
import { RecordTexts } from '../../src/expose/metrics/record-texts.ts';
import { silentLogger } from './silent-logger.ts';
import { PublishedRecords } from '../../src/model/published-records.ts';
import { newRecord } from './advance.ts';
import type { Target } from '../../src/model/target.ts';
import { newCycleStats } from '../../src/poll/cycle-stats.ts';
import { PollLog } from '../../src/poll/poll-log.ts';
import { Poller } from '../../src/poll/poller.ts';
import { defaultThresholds } from './thresholds.ts';
import { parseExposition } from './exposition-text.ts';
import { createMemoryStore } from './memory-store.ts';
import { RecordKeeper } from '../../src/state/record-keeper.ts';
import { InProcessConnections, type AnswerBody } from './in-process-connections.ts';

const clock = { now: () => Date.now() };
const periodMs = 60_000;
const settings = { staleAfterMs: 15 * 60_000, thresholds: defaultThresholds, accounts: [] };
const noSchedule = { start: () => undefined, stop: () => undefined, nextRunMs: () => null };

export class SocketlessMonitor {
  readonly published = new PublishedRecords();
  readonly #metrics: MonitorMetrics;
  readonly #exposition: Exposition;
  readonly #poller: Poller;
  readonly #stats = newCycleStats();

  /** Controls the time of the process until the test ends. */
  constructor(targets: readonly Target[], answer: AnswerBody) {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.UTC(2026, 0, 1) });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    this.#metrics = new MonitorMetrics({ version: 'test', revision: '' }, () => ({
      cyclesCompleted: this.#stats.completed,
      cyclesSkipped: this.#stats.skipped,
      lastCycleDurationMs: this.#stats.lastDurationMs,
      nextCycleMs: null,
      stateWriteFailures: 0,
      stateDamagedFiles: 0,
      lastReloadSuccessful: true,
      lastReloadSuccessMs: 0,
    }));
    this.#exposition = new Exposition({
      texts: new RecordTexts(recordFamilies(collectors)),
      published: this.published,
      settings: () => settings,
      registry: this.#metrics.registry,
      clock,
    });
    this.published.replaceAll(targets.map(newRecord));
    this.#poller = this.#createPoller(targets, new InProcessConnections(answer));
  }

  /** The number of completed cycles. */
  get cycles(): number {
    return this.#stats.completed;
  }

  /** Moves the time forward by a minute, and polls every target. */
  async cycle(): Promise<void> {
    vi.advanceTimersByTime(periodMs);
    await this.#poller.runCycle();
  }

  /** Scrapes both formats, plain and compressed. Returns the number of series, without those of Node. */
  async seriesCount(): Promise<number> {
    await this.#exposition.body('openmetrics', 'gzip');
    const text = (await this.#exposition.body('prometheus', 'identity')).toString();
    return [...parseExposition(text).series.keys()].filter((name) => name.startsWith('cvm_'))
      .length;
  }

  #createPoller(targets: readonly Target[], connections: InProcessConnections): Poller {
    const rateLimits = new RateLimits(20);
    const largeAnswers = new LargeAnswers();
    const yieldQueue = new YieldQueue();
    const routes = new Routes({});
    const clientOptions = (account: string): ClientOptions => ({
      account,
      endpoint: 'http://service',
      signature: 'hmac-sha256',
      credentials: noCredentials,
      requestsPerSecond: 20,
      timeoutMs: 10_000,
      maxAttempts: 1,
      clock,
      random: () => 0,
      observer: {
        ...silentObserver,
        requestFinished: (event) => {
          this.#metrics.requestFinished(event);
        },
        retried: (event) => {
          this.#metrics.retried(event);
        },
      },
      connections,
      routes,
      largeAnswers,
      yieldQueue,
      rateLimits,
      userAgent: 'test',
    });
    const accounts = new Set(targets.map(({ account }) => account));
    const clients = new Map(
      [...accounts].map((account) => {
        const options = clientOptions(account);
        return [account, createRetryingCall(() => options, new ServiceClock())];
      }),
    );
    const keeper = new RecordKeeper({
      store: createMemoryStore(),
      collectors,
      published: this.published,
      logger: silentLogger,
      onLate: () => undefined,
    });
    return new Poller({
      targets,
      found: new Map(),
      schedule: noSchedule,
      jitterMs: 0,
      minDeadlineMs: periodMs,
      trendStepMs: 900_000,
      collectors,
      poll: (target, context) =>
        collectors.of(target).poll(clients.get(target.account)!, target, context),
      keep: (target, step) => keeper.keep(target, step),
      published: this.published,
      stats: this.#stats,
      log: new PollLog(silentLogger, clock),
      onPolled: () => Promise.resolve(),
      leavesOut: () => false,
      clock,
      random: () => 0,
    });
  }
}
