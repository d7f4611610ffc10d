/** The composition root: builds the daemon from a configuration. Owns start, reload and stop. */
import { isDeepStrictEqual } from 'node:util';
import { createApiObserver } from './api-observer.ts';
import { Clients } from './clients.ts';
import { userAgentOf } from './build-info.ts';
import type { DaemonOptions } from './daemon-options.ts';
import { createMonitorApp, settingsOf } from './monitor-app.ts';
import { Plans, pollPlanOf, type Plan } from './plans.ts';
import { Reloads, stopping } from './reloads.ts';
import { orGivenUp, unlessStopped } from './stopping.ts';
import { openStorage, type Storage, type StorageHooks } from './storage.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { collectors as ownCollectors } from '../collectors/collectors.ts';
import type { Config, PollConfig } from '../config/config.ts';
import { cronRuns } from '../config/cron-runs.ts';
import { registerCluster } from '../expose/metrics/cluster-metrics.ts';
import { MonitorMetrics } from '../expose/metrics/monitor-metrics.ts';
import type { MonitorView, ReloadResult } from '../expose/monitor-view.ts';
import { startWebServer, type WebServer } from '../expose/web/server.ts';
import { PublishedRecords } from '../model/published-records.ts';
import type { Target } from '../model/target.ts';
import { newCycleStats } from '../poll/cycle-stats.ts';
import { PollLog } from '../poll/poll-log.ts';
import { Poller } from '../poll/poller.ts';
import { TimedSchedule, type Schedule } from '../poll/schedule.ts';
import type { Records } from '../state/records.ts';

export class Daemon {
  readonly #options: DaemonOptions;
  readonly #collectors: CollectorSet;
  /** `null` for one daemon alone. */
  readonly #cluster: Cluster | null;
  readonly #records: Records;
  readonly #published = new PublishedRecords();
  readonly #stats = newCycleStats();
  readonly #pollLog: PollLog;
  readonly #reloads: Reloads;
  readonly #metrics: MonitorMetrics;
  readonly #startedAtMs: number;
  readonly #plans: Plans;
  #schedule: Schedule;
  readonly #clients: Clients;
  readonly #poller: Poller;
  #web: WebServer | null = null;
  #stopped: Promise<void> | null = null;

  private constructor(options: DaemonOptions, storage: Storage, config: Config) {
    this.#options = options;
    this.#collectors = options.collectors ?? ownCollectors;
    this.#pollLog = new PollLog(options.logger, options.clock);
    const { cluster, records } = storage(this.#storageHooks());
    this.#cluster = cluster;
    this.#records = records;
    this.#startedAtMs = options.clock.now();
    this.#reloads = new Reloads(
      {
        ...options,
        loadConfig: () => this.#loadSameCluster(),
        isStopping: () => this.#isStopping(),
        replace: (next) => this.#replace(next),
      },
      this.#startedAtMs,
    );
    this.#metrics = new MonitorMetrics(
      options.build,
      () => this.#status(),
      () => this.#clients.status(),
    );
    if (cluster !== null) registerCluster(this.#metrics.registry, () => cluster.status());
    this.#plans = new Plans(config, {
      collectors: this.#collectors,
      published: this.#published,
      restore: (targets, apply) => this.#restore(targets, apply),
      onReplaced: (plan, before) => {
        this.#replaced(plan, before);
      },
      isStopping: () => this.#isStopping(),
      logger: options.logger,
    });
    this.#schedule = this.#createSchedule(config.poll);
    this.#clients = this.#createClients(config);
    this.#poller = this.#createPoller();
  }

  /**
   * Loads the configuration and the stored records, serves them, and begins the first cycle.
   *
   * @throws InvalidFileError for an invalid configuration
   * @throws StoreLockedError when another daemon has the storage
   * @throws ListenError when the address is in use or not permitted
   */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const { logger, signal } = options;
    const config = await options.loadConfig();
    const storage = await openStorage(config, options);
    const daemon = new Daemon(options, storage, config);
    try {
      await daemon.#cluster?.connected();
      await unlessStopped(daemon.#plans.configure(config), signal);
      daemon.#web = await startWebServer(daemon.#createApp(), options.web);
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    const { targets } = daemon.#plans.present;
    for (const url of daemon.#web.urls) logger.info('serving', { url, targets: targets.length });
    daemon.#poller.start();
    daemon.#records.start();
    daemon.#cluster?.start();
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

  async #stop(): Promise<void> {
    await orGivenUp(this.#storeAll());
    this.#records.reportLost();
    this.#cluster?.close();
    this.#clients.close();
    await this.#web?.close();
  }

  async #storeAll(): Promise<void> {
    await this.#cluster?.stop();
    await this.#poller.stop();
    await this.#records.close();
  }

  /** Applies a configuration that a reload has loaded. */
  async #replace(config: Config): Promise<ReloadResult> {
    const { logger } = this.#options;
    if (isDeepStrictEqual(config, this.#plans.present.config)) {
      logger.info('configuration is unchanged');
      return { ok: true };
    }
    await this.#plans.configure(config);
    if (this.#isStopping()) return stopping;
    logger.info('configuration reloaded', { targets: this.#plans.present.targets.length });
    return { ok: true };
  }

  /** Rejects when the file has another cluster: it is connected at the start only. */
  async #loadSameCluster(): Promise<Config> {
    const config = await this.#options.loadConfig();
    if (isDeepStrictEqual(config.cluster, this.#plans.present.config.cluster)) return config;
    throw new Error('`cluster` cannot be changed by a reload: restart the daemon to change it');
  }

  #isStopping(): boolean {
    return this.#stopped !== null;
  }

  /** Applies a plan in one step. */
  #replaced(plan: Plan, before: Plan): void {
    const { config, targets } = plan;
    const { expression, timezone } = before.config.poll;
    const isSameSchedule =
      config.poll.expression === expression && config.poll.timezone === timezone;
    if (!isSameSchedule) this.#schedule = this.#createSchedule(config.poll);
    if (config !== before.config) this.#clients.configure(config);
    this.#poller.update(pollPlanOf(this.#plans.present, this.#schedule));
    const accounts = new Set(config.accounts.map(({ name }) => name));
    this.#keepOnly(accounts, targets);
  }

  /** Forgets removed accounts and targets. Their polls have ended. */
  #keepOnly(accounts: ReadonlySet<string>, targets: readonly Target[]): void {
    this.#clients.keepOnly(accounts);
    this.#metrics.keepOnly(accounts);
    this.#records.forgetGone();
    this.#pollLog.keepOnly(targets);
  }

  #storageHooks(): StorageHooks {
    return {
      collectors: this.#collectors,
      published: this.#published,
      current: () => this.#plans.present.config,
      onLate: (taken) => {
        this.#pollLog.changed(taken);
        void this.#plans.polled(taken.record);
      },
      onRead: (record) => {
        void this.#plans.polled(record);
      },
      runCycle: (account, turn, how) => this.#poller.runAccountCycle(account, turn, how),
    };
  }

  #createClients(config: Config): Clients {
    const { build, logger } = this.#options;
    const observer = createApiObserver(this.#metrics, logger);
    return new Clients(config, {
      ...this.#options,
      collectors: this.#collectors,
      observer,
      userAgent: userAgentOf(build),
      onSharedRateLimit: (account, other) => {
        logger.warn('two accounts have the same SecretId and share one rate limit', {
          account,
          other,
        });
      },
    });
  }

  #createSchedule(poll: PollConfig): Schedule {
    const { clock, createSchedule } = this.#options;
    return createSchedule?.(poll) ?? new TimedSchedule(cronRuns(poll), clock);
  }

  #createPoller(): Poller {
    const { clock, random } = this.#options;
    return new Poller({
      ...pollPlanOf(this.#plans.present, this.#schedule),
      collectors: this.#collectors,
      poll: (target, context) => this.#clients.poll(target, context),
      keep: (target, step) => this.#records.keep(target, step),
      published: this.#published,
      stats: this.#stats,
      shared: this.#cluster ?? undefined,
      onPolled: (record) => this.#plans.polled(record),
      leavesOut: (target, code) => this.#plans.leavesOut(target, code),
      log: this.#pollLog,
      clock,
      random,
    });
  }

  /**
   * Publishes a record for every target.
   *
   * @param apply called in the same step, before any poll can end
   */
  async #restore(targets: readonly Target[], apply: () => void): Promise<void> {
    for (const target of targets) this.#metrics.expectRequests(target);
    await this.#records.restore(targets, apply);
  }

  #createApp() {
    const { build, clock } = this.#options;
    const view: MonitorView = {
      collectors: this.#collectors,
      published: this.#published,
      clock,
      build,
      startedAtMs: this.#startedAtMs,
      ...settingsOf(() => this.#plans.present.config),
      status: () => this.#status(),
      readiness: () => this.#poller.readiness(),
      storageProblem: () => this.#records.problem,
      cluster: () => this.#cluster?.status() ?? null,
      refresh: this.#cluster?.records.refresh ?? null,
      reloadProblem: () => this.#reloads.last.problem,
      isLifecycleEnabled: () => this.#options.enableLifecycle ?? false,
      reload: () => this.reload(),
    };
    return createMonitorApp(view, this.#metrics.registry, this.#options);
  }

  #status() {
    return {
      cyclesCompleted: this.#stats.completed,
      cyclesSkipped: this.#stats.skipped,
      lastCycleDurationMs: this.#stats.lastDurationMs,
      nextCycleMs: this.#poller.nextCycleMs(),
      stateWriteFailures: this.#records.failures,
      stateDamagedFiles: this.#records.damaged,
      lastReloadSuccessful: this.#reloads.last.successful,
      lastReloadSuccessMs: this.#reloads.last.successMs,
      webConfig: this.#options.web.protection?.status(),
    };
  }
}
