/** The composition root: a configuration becomes a running daemon. Owns start, reload and stop. */
import { connectAccounts, type Accounts, type Surroundings } from './accounts.ts';
import type { Config, PollConfig } from './config/config.ts';
import { planTargets } from './config/plan.ts';
import { Exposition } from './expose/metrics/exposition.ts';
import { MonitorMetrics, type BuildInfo } from './expose/metrics/monitor-metrics.ts';
import { RecordTexts } from './expose/metrics/record-texts.ts';
import type { MonitorView, ReloadResult } from './expose/monitor-view.ts';
import { createApp } from './expose/web/app.ts';
import type { ListenAddress } from './expose/web/listen-address.ts';
import { startWebServer, type WebServer } from './expose/web/server.ts';
import type { Logger } from './logging/logger.ts';
import { PublishedRecords } from './model/published-records.ts';
import { newCycleStats } from './poll/cycle-stats.ts';
import { PollLog } from './poll/poll-log.ts';
import { Poller } from './poll/poller.ts';
import { CronSchedule, type Schedule } from './poll/schedule.ts';
import { openFileStore } from './state/file-store.ts';
import { Housekeeping } from './state/housekeeping.ts';
import { RecordKeeper } from './state/record-keeper.ts';
import type { Store } from './state/store.ts';

export interface DaemonOptions extends Surroundings {
  /** Reads the configuration, at the start and at each reload; rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  readonly listenAddress: ListenAddress;
  /** The directory of the records. */
  readonly storagePath: string;
  readonly build: BuildInfo;
  readonly logger: Logger;
  /** Ends a start that has to wait for the storage. */
  readonly signal: AbortSignal;
  /** Says when cycles are due; by default the cron expression of the configuration. */
  readonly createSchedule?: (poll: PollConfig) => Schedule;
  /** Called when the daemon cannot go on: its storage was taken over by another. */
  readonly onFatal: (error: Error) => void;
}

/** What one configuration set in motion. */
interface Watch {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly poller: Poller;
}

export class Daemon {
  readonly #options: DaemonOptions;
  readonly #store: Store;
  readonly #keeper: RecordKeeper;
  readonly #housekeeping: Housekeeping;
  readonly #published = new PublishedRecords();
  readonly #stats = newCycleStats();
  readonly #pollLog: PollLog;
  readonly #metrics: MonitorMetrics;
  readonly #startedAtMs: number;
  #lastReload: { successful: boolean; successMs: number };
  #watch: Watch;
  #reloading: Promise<ReloadResult> | null = null;
  #web: WebServer | null = null;
  #stopped: Promise<void> | null = null;

  private constructor(options: DaemonOptions, store: Store, config: Config) {
    this.#options = options;
    this.#store = store;
    this.#pollLog = new PollLog(options.logger);
    this.#keeper = new RecordKeeper({
      store,
      published: this.#published,
      logger: options.logger,
      onChanges: (record, changes) => {
        this.#pollLog.changed(record, changes);
      },
    });
    this.#housekeeping = new Housekeeping(store, options.logger, () =>
      this.#published.all().map(({ target }) => target),
    );
    this.#startedAtMs = options.clock.now();
    this.#lastReload = { successful: true, successMs: this.#startedAtMs };
    this.#metrics = new MonitorMetrics(options.build, () => this.#status());
    this.#watch = this.#createWatch(config);
  }

  /**
   * Loads the configuration and the stored records, serves them, and begins the first cycle.
   *
   * @throws InvalidFileError for a bad configuration
   * @throws StoreLockedError when another daemon has the storage
   * @throws ListenError when the address cannot be had
   */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const { clock, logger, signal, storagePath: directory, onFatal } = options;
    const config = await options.loadConfig();
    const store = await openFileStore({ directory, clock, signal, onLockLost: onFatal });
    const daemon = new Daemon(options, store, config);
    try {
      await daemon.#restore(config);
      daemon.#web = await startWebServer(daemon.#createApp(), options.listenAddress);
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    logger.info('serving', { url: daemon.url, targets: daemon.#published.all().length });
    daemon.#watch.poller.start();
    daemon.#housekeeping.start();
    return daemon;
  }

  /** Where the daemon is reached. */
  get url(): string {
    return this.#web?.url ?? '';
  }

  /**
   * Loads the configuration anew and watches what it says; the records of targets that stay are kept.
   * A bad configuration changes nothing, and a daemon that is stopping refuses.
   */
  async reload(): Promise<ReloadResult> {
    if (this.#stopped !== null) return { ok: false, reason: 'the daemon is stopping' };
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = null;
    });
    return this.#reloading;
  }

  /** Aborts what is in flight, stores what is known, and stops listening last. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    await this.#reloading;
    await this.#watch.poller.stop();
    await this.#watch.accounts.close();
    this.#housekeeping.stop();
    await this.#keeper.flush();
    await this.#store.close();
    await this.#web?.close();
  }

  async #reload(): Promise<ReloadResult> {
    const { clock, loadConfig, logger } = this.#options;
    let config: Config;
    try {
      config = await loadConfig();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#lastReload = { ...this.#lastReload, successful: false };
      logger.error('configuration not reloaded; the one before stays in force', { reason });
      return { ok: false, reason };
    }
    await this.#watch.poller.stop();
    await this.#watch.accounts.close();
    this.#lastReload = { successful: true, successMs: clock.now() };
    this.#watch = this.#createWatch(config);
    await this.#restore(config);
    this.#watch.poller.start();
    logger.info('configuration reloaded', { targets: this.#published.all().length });
    return { ok: true };
  }

  #createWatch(config: Config): Watch {
    const { clock, random } = this.#options;
    const createSchedule =
      this.#options.createSchedule ?? ((poll: PollConfig) => new CronSchedule(poll, clock));
    const accounts = connectAccounts(config, this.#metrics, this.#options);
    const poller = new Poller({
      targets: planTargets(config),
      schedule: createSchedule(config.poll),
      jitterMs: config.poll.jitterMs,
      minDeadlineMs: config.api.timeoutMs,
      poll: (target, context) => accounts.poll(target, context),
      keep: (advance) => this.#keeper.keep(advance),
      published: this.#published,
      stats: this.#stats,
      log: this.#pollLog,
      clock,
      random,
    });
    return { config, accounts, poller };
  }

  /** Publishes a record for every target of a configuration. */
  async #restore(config: Config): Promise<void> {
    const targets = planTargets(config);
    for (const target of targets) this.#metrics.expectRequests(target);
    await this.#keeper.restore(targets);
  }

  #createApp() {
    const { build, clock, logger } = this.#options;
    const staleAfterMs = () => this.#watch.config.poll.staleAfterMs;
    const view: MonitorView = {
      published: this.#published,
      clock,
      build,
      startedAtMs: this.#startedAtMs,
      staleAfterMs,
      status: () => this.#status(),
      readiness: () => this.#watch.poller.readiness(),
      storageProblem: () => this.#keeper.problem,
      reload: () => this.reload(),
    };
    const texts = new RecordTexts(this.#published, staleAfterMs, clock);
    const exposition = new Exposition(texts, this.#metrics.registry, clock);
    return createApp(view, exposition, (err, path) => {
      logger.error('request failed', { path, err });
    });
  }

  #status() {
    return {
      cyclesCompleted: this.#stats.completed,
      cyclesSkipped: this.#stats.skipped,
      lastCycleDurationMs: this.#stats.lastDurationMs,
      nextCycleMs: this.#watch.poller.nextCycleMs(),
      stateWriteFailures: this.#keeper.failures,
      stateDamagedFiles: this.#keeper.damagedFiles,
      lastReloadSuccessful: this.#lastReload.successful,
      lastReloadSuccessMs: this.#lastReload.successMs,
    };
  }
}
