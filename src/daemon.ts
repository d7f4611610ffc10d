/** The composition root: a configuration becomes a running daemon. Owns start, reload and stop. */
import { connectAccounts, type Accounts, type Surroundings } from './accounts.ts';
import { collectors } from './collectors/collectors.ts';
import type { Config, PollConfig } from './config/config.ts';
import { cronRuns } from './config/cron-runs.ts';
import { planTargets } from './config/plan.ts';
import { Exposition } from './expose/metrics/exposition.ts';
import { recordFamilies } from './expose/metrics/families.ts';
import { MonitorMetrics, type BuildInfo } from './expose/metrics/monitor-metrics.ts';
import { RecordTexts } from './expose/metrics/record-texts.ts';
import type { MonitorView, ReloadResult } from './expose/monitor-view.ts';
import { createApp } from './expose/web/app.ts';
import type { ListenAddress } from './expose/web/listen-address.ts';
import { startWebServer, type WebServer } from './expose/web/server.ts';
import type { Logger } from './logging/logger.ts';
import { PublishedRecords } from './model/published-records.ts';
import type { TargetRecord } from './model/record.ts';
import { targetKey } from './model/target.ts';
import { newCycleStats } from './poll/cycle-stats.ts';
import { Episodes } from './poll/episodes.ts';
import { PollLog } from './poll/poll-log.ts';
import { Poller } from './poll/poller.ts';
import { TimedSchedule, type Schedule } from './poll/schedule.ts';
import { openFileStore } from './state/file-store.ts';
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
  readonly #published = new PublishedRecords();
  readonly #stats = newCycleStats();
  readonly #pollLog: PollLog;
  /** Reloads that fail one after the other. */
  readonly #failedReloads = new Episodes({ endLate: false });
  readonly #metrics: MonitorMetrics;
  readonly #startedAtMs: number;
  #damagedFiles = 0;
  #lastReload: { successful: boolean; successMs: number };
  #watch: Watch;
  #reloading: Promise<ReloadResult> | null = null;
  #web: WebServer | null = null;
  #stopped: Promise<void> | null = null;

  private constructor(options: DaemonOptions, store: Store, config: Config) {
    this.#options = options;
    this.#store = store;
    this.#keeper = new RecordKeeper(store, options.logger);
    this.#pollLog = new PollLog(options.logger, options.clock);
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
    const store = await openFileStore({
      collectors,
      directory,
      clock,
      signal,
      onLockLost: onFatal,
    });
    const daemon = new Daemon(options, store, config);
    try {
      daemon.#restore(config, await daemon.#loadStored());
      daemon.#web = await startWebServer(daemon.#createApp(), options.listenAddress);
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    logger.info('serving', { url: daemon.url, targets: daemon.#published.all().length });
    daemon.#watch.poller.start();
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
    await this.#keeper.flush();
    await this.#store.close();
    await this.#web?.close();
  }

  async #reload(): Promise<ReloadResult> {
    const { clock, loadConfig, logger } = this.#options;
    let config: Config;
    let stored: readonly TargetRecord[];
    try {
      config = await loadConfig();
      stored = await this.#loadStored();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#lastReload = { ...this.#lastReload, successful: false };
      const note = this.#failedReloads.happened('', clock.now(), reason);
      if (note !== null) {
        const fields = { reason, reloads: note.count };
        logger.error('configuration not reloaded; the one before stays in force', fields);
      }
      return { ok: false, reason };
    }
    await this.#watch.poller.stop();
    await this.#watch.accounts.close();
    this.#lastReload = { successful: true, successMs: clock.now() };
    this.#failedReloads.forgetUnless(() => false);
    this.#pollLog.keepOnly(planTargets(config, collectors));
    this.#watch = this.#createWatch(config);
    this.#restore(config, stored);
    this.#watch.poller.start();
    logger.info('configuration reloaded', { targets: this.#published.all().length });
    return { ok: true };
  }

  #createWatch(config: Config): Watch {
    const { clock, random } = this.#options;
    const createSchedule =
      this.#options.createSchedule ??
      ((poll: PollConfig) => new TimedSchedule(cronRuns(poll), clock));
    const accounts = connectAccounts(config, collectors, this.#metrics, this.#options);
    const poller = new Poller({
      targets: planTargets(config, collectors),
      schedule: createSchedule(config.poll),
      jitterMs: config.poll.jitterMs,
      minDeadlineMs: config.api.timeoutMs,
      collectors,
      poll: (target, context) => accounts.poll(target, context),
      keep: (record) => this.#keeper.keep(record),
      published: this.#published,
      stats: this.#stats,
      log: this.#pollLog,
      clock,
      random,
    });
    return { config, accounts, poller };
  }

  async #loadStored(): Promise<readonly TargetRecord[]> {
    const { records, damaged } = await this.#store.load();
    this.#damagedFiles += damaged.length;
    for (const { file, movedTo, reason } of damaged) {
      this.#options.logger.error('damaged record', { file, moved_to: movedTo, reason });
    }
    return records;
  }

  /** Publishes a record for every target: the present one, else the stored one, else a new one. */
  #restore(config: Config, stored: readonly TargetRecord[]): void {
    const known = new Map<string, TargetRecord>();
    for (const record of [...stored, ...this.#published.all()]) {
      known.set(targetKey(record.target), record);
    }
    const targets = planTargets(config, collectors);
    for (const target of targets) this.#metrics.expectRequests(target);
    this.#published.replaceAll(
      targets.map((target) => {
        const record = known.get(targetKey(target));
        const { continueRecord, newRecord } = collectors.of(target);
        return record === undefined ? newRecord(target) : continueRecord(record, target);
      }),
    );
  }

  #createApp() {
    const { build, clock, logger } = this.#options;
    const staleAfterMs = () => this.#watch.config.poll.staleAfterMs;
    const view: MonitorView = {
      collectors,
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
    const texts = new RecordTexts(recordFamilies(collectors), this.#published, staleAfterMs, clock);
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
      stateDamagedFiles: this.#damagedFiles,
      lastReloadSuccessful: this.#lastReload.successful,
      lastReloadSuccessMs: this.#lastReload.successMs,
    };
  }
}
