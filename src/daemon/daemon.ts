/** The composition root: builds the daemon from a configuration. Owns start, reload and stop. */
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import type { ClusterConfig, Config, PollConfig } from '../config/config.ts';
import { runTimesOf } from '../schedule/run-times.ts';
import { trendStepMs } from '../schedule/cron.ts';
import { networkWarnings } from '../config/network-warnings.ts';
import { measuredMetrics } from '../expose/metrics/process-metrics.ts';
import { startWebServer, type WebServer } from '../expose/server.ts';
import type { Clock } from '../model/clock.ts';
import type { ReloadResult } from '../model/monitor-status.ts';
import { PublishedRecords } from '../model/published-records.ts';
import { memoizePerObject } from '../model/memoize.ts';
import { PollLog } from '../poll/poll-log.ts';
import { Poller } from '../poll/poller.ts';
import { TimedSchedule, type Schedule } from '../schedule/timer.ts';
import { openFileStore } from '../storage/file-store.ts';
import { withinStopTime, RecordKeeper } from '../storage/record-keeper.ts';
import { createApiObserver } from './api-observer.ts';
import { userAgentOf } from './build-info.ts';
import { Clients } from './clients.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { createMonitorApp, type Loaded, type Records } from './monitor-app.ts';
import { Plans, type Plan } from './plans.ts';
import { Reloads } from './reloads.ts';
import { RequestCounts } from './request-counts.ts';

/** How long a start may go on after the signal to stop. A start on a good disk ends in this time. */
const maxStartingMs = 1_000;

export class Daemon {
  readonly #options: DaemonOptions;
  /** The clock of Redis, where several daemons share the accounts and that of this daemon differs from it. */
  readonly #clock: Clock;
  #sharedClock: Clock | null = null;
  readonly #collectors: CollectorSet;
  readonly #published = new PublishedRecords();
  readonly #pollLog: PollLog;
  readonly #reloads: Reloads;
  readonly #measured = measuredMetrics();
  readonly #requests = new RequestCounts();
  readonly #startedAtMs: number;
  readonly #plans: Plans;
  readonly #clients: Clients;
  readonly #trendStepOf = memoizePerObject(trendStepMs);
  #schedule: Schedule;
  #web: WebServer | null = null;
  /** The regions that the log named as left out, with their accounts. */
  readonly #toldLeftOut = new Set<string>();
  #loaded: Loaded | null = null;
  #stopped: Promise<void> | null = null;

  private constructor(options: DaemonOptions, config: Config) {
    this.#options = options;
    const clock = { now: () => (this.#sharedClock ?? options.clock).now() };
    this.#clock = clock;
    this.#collectors = options.collectors ?? ownCollectors;
    this.#pollLog = new PollLog(options.logger, clock);
    this.#startedAtMs = options.clock.now();
    this.#plans = new Plans(config, {
      collectors: this.#collectors,
      published: this.#published,
      onReplaced: (plan, before) => {
        this.#replanned(plan, before);
      },
    });
    const isStopping = () => this.#stopped !== null;
    const reloadsOptions = { ...options, clock, plans: this.#plans, isStopping };
    this.#reloads = new Reloads(reloadsOptions, this.#startedAtMs);
    this.#schedule = this.#createSchedule(config.poll);
    this.#clients = this.#createClients(config);
  }

  /**
   * Loads the configuration, listens, reads the stored records, and begins the first cycles.
   *
   * @throws InvalidFileError for an invalid configuration
   * @throws StoreError when another daemon has the storage, or it cannot be read
   * @throws ListenError when the address is in use or not permitted
   */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const daemon = new Daemon(options, await options.loadConfig());
    try {
      await daemon.#start();
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    return daemon;
  }

  /** The address of the daemon. */
  get url(): string {
    return this.#web?.url ?? '';
  }

  /**
   * Loads the configuration again and applies the differences. Unchanged accounts, targets and polls are not
   * touched. An invalid configuration changes nothing. A daemon that is stopping refuses. While a reload runs,
   * a further one waits for its end, so that the last edit of the file is applied.
   */
  reload(): Promise<ReloadResult> {
    return this.#reloads.request();
  }

  /**
   * Aborts the polls in flight, stores all records, and stops listening last. Logs what a storage that is
   * slow or hangs has not taken in time.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #start(): Promise<void> {
    const { logger, signal, web } = this.#options;
    this.#web = await startWebServer(this.#createApp(), web);
    for (const url of this.#web.urls) logger.info('serving', { url });
    const loaded = await unlessStopped(this.#open(), signal);
    const { cluster, poller } = loaded;
    this.#loaded = loaded;
    this.#plans.configure(this.#plans.present.config);
    logger.info('polling', { targets: this.#plans.present.targets.length });
    poller.start();
    cluster?.start();
  }

  async #stop(): Promise<void> {
    this.#schedule.stop();
    if (this.#loaded !== null) {
      const { cluster, poller, records } = this.#loaded;
      if (cluster !== null) await withinStopTime(cluster.stop());
      // Aborted polls keep nothing. What is being stored is the store's to end.
      poller.stop();
      await records.close();
      cluster?.close();
    }
    this.#clients.close();
    await this.#web?.close();
  }

  /** Opens the storage and reads it. */
  async #open(): Promise<Loaded> {
    const { config } = this.#plans.present;
    const cluster = config.cluster && (await this.#openCluster(config.cluster));
    const records = cluster === null ? await this.#openFiles() : cluster.records;
    await records.load();
    const poller = new Poller({
      collectors: this.#collectors,
      poll: (target, context) => this.#clients.poll(target, context),
      update: (target, step) => records.update(target, step),
      published: this.#published,
      plan: () => this.#plans.present,
      settings: () => this.#pollSettings(),
      trendStepMs: () => this.#trendStepOf(this.#plans.present.config.poll),
      shared: cluster ?? undefined,
      onPolled: (replaced) => {
        this.#plans.polled(replaced);
      },
      log: this.#pollLog,
      ...this.#options,
      clock: this.#clock,
    });
    return { records, cluster, poller };
  }

  async #openFiles(): Promise<Records> {
    const own = { collectors: this.#collectors, published: this.#published };
    const store = await openFileStore({ ...this.#options, ...own });
    const keeper = new RecordKeeper({ ...this.#options, ...own, store });
    keeper.start();
    return keeper;
  }

  async #openCluster(config: ClusterConfig): Promise<Cluster> {
    // One daemon alone does not load the job engine.
    const { Cluster: SharedAccounts, connectionOptions } = await import('../cluster/cluster.ts');
    const { build } = this.#options;
    const cluster = new SharedAccounts({
      ...this.#options,
      collectors: this.#collectors,
      published: this.#published,
      config,
      connection: await connectionOptions(config),
      about: {
        name: `${hostname()}:${process.pid}`,
        version: build.version,
        startedAtMs: this.#startedAtMs,
      },
      current: () => this.#plans.present.config,
      onRead: (replaced) => {
        this.#plans.polled(replaced);
      },
      runCycle: async (account, turn, how) => {
        await this.#loaded?.poller.runCycle(account, turn, how);
      },
    });
    this.#sharedClock = cluster.clock;
    await cluster.connected();
    return cluster;
  }

  /** Follows another plan, after a reload or because answers found other targets. */
  #replanned({ accounts, byAccount, config, targets }: Plan, before: Plan): void {
    this.#tellLeftOut(byAccount);
    const isReload = config !== before.config;
    const names = new Set(accounts);
    for (const target of targets) this.#requests.expect(target);
    const { expression, timezone } = before.config.poll;
    if (config.poll.expression !== expression || config.poll.timezone !== timezone) {
      this.#schedule.stop();
      this.#schedule = this.#createSchedule(config.poll);
      this.#loaded?.poller.startSchedule();
      this.#loaded?.cluster?.rescheduled();
    }
    if (isReload) {
      this.#clients.configure(config);
      this.#logWarnings(config);
      this.#requests.keepOnly(names);
    }
    this.#loaded?.poller.replanned(isReload ? before.get : null);
    this.#loaded?.cluster?.configure(names);
  }

  /** Says once that a region is left out. It is tried again with each list of regions. */
  #tellLeftOut(byAccount: Plan['byAccount']): void {
    for (const [account, { leftOut }] of byAccount) {
      for (const region of leftOut) {
        const name = `${account} ${region}`;
        if (this.#toldLeftOut.has(name)) continue;
        this.#toldLeftOut.add(name);
        const message = 'region left out: it does not offer an operation';
        this.#options.logger.warn(message, { account, region });
      }
    }
  }

  #logWarnings(config: Config): void {
    for (const warning of networkWarnings(config)) {
      this.#options.logger.warn('the configuration is dangerous', { warning });
    }
  }

  #createClients(config: Config): Clients {
    this.#logWarnings(config);
    const { build, logger } = this.#options;
    const observer = createApiObserver(this.#measured, this.#requests, logger);
    return new Clients(config, {
      ...this.#options,
      collectors: this.#collectors,
      observer,
      userAgent: userAgentOf(build),
    });
  }

  #createSchedule(poll: PollConfig): Schedule {
    const { createSchedule } = this.#options;
    return createSchedule?.(poll) ?? new TimedSchedule(runTimesOf(poll), this.#clock);
  }

  #pollSettings() {
    const { api, poll } = this.#plans.present.config;
    return { schedule: this.#schedule, jitterMs: poll.jitterMs, minDeadlineMs: api.timeoutMs };
  }

  #createApp() {
    return createMonitorApp({
      ...this.#options,
      collectors: this.#collectors,
      published: this.#published,
      clock: this.#clock,
      startedAtMs: this.#startedAtMs,
      measured: this.#measured,
      api: () => ({ ...this.#clients.status(), requests: this.#requests.all() }),
      plans: this.#plans,
      reloads: this.#reloads,
      loaded: () => this.#loaded,
      nextCycleMs: () => this.#schedule.nextRunMs(),
    });
  }
}

/**
 * Waits for a part of a start that needs the storage. Gives up one second after the signal aborts, and
 * rejects with the reason of the signal. The part may go on in the background. Its result is then ignored.
 */
async function unlessStopped<T>(part: Promise<T>, signal: AbortSignal): Promise<T> {
  if (await Promise.race([part.then(() => false), isLate(signal)])) signal.throwIfAborted();
  return part;
}

async function isLate(signal: AbortSignal): Promise<true> {
  if (!signal.aborted) await once(signal, 'abort');
  await delay(maxStartingMs, undefined, { ref: false });
  return true;
}
