/**
 * The composition root: `serve` and `demo` start a daemon with `startDaemon`. Each part gets parts that are built above it:
 *
 * 1. The configuration is loaded, and the server listens. Until step 4, only `/-/healthy` answers 200.
 * 2. The records are read: from files after waiting for their lock, or with `cluster` from Redis.
 * 3. Clients, timer, poller and view are built, and the records complete the plan of targets.
 * 4. The server answers from the records, and the first cycles begin.
 */
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { collectors as allCollectors } from '../collectors/collectors.ts';
import { networkWarnings, type Config } from '../config/config.ts';
import { createApp, startingApp } from '../expose/app.ts';
import { createProcessMetrics } from '../expose/metrics/monitor-metrics.ts';
import type { Shard } from '../expose/metrics/record-samples.ts';
import type { MonitorView } from '../expose/monitor-view.ts';
import { startWebServer, type WebOptions } from '../expose/server.ts';
import type { Logger } from '../log.ts';
import type { Links } from '../model/links.ts';
import type { BuildInfo, ReloadResult } from '../model/monitor-status.ts';
import { memoizePerObject } from '../model/memoize.ts';
import { PublishedRecords } from '../model/published-records.ts';
import { targetKey } from '../model/target.ts';
import { PollLog } from '../poll/poll-log.ts';
import { createPollTarget, type UpdateRecord } from '../poll/poll-target.ts';
import { Poller } from '../poll/poller.ts';
import { trendStepMs } from '../schedule/cron.ts';
import type { CronSchedule } from '../schedule/run-times.ts';
import { CronTimer, type CycleTimer } from '../schedule/cycle-timer.ts';
import { openFileStore, prepareDirectory, type FileStoreOptions } from '../storage/file-store.ts';
import { createLocalRecords, withinStopTime } from '../storage/local-records.ts';
import { createRequestCounts } from './api-observer.ts';
import { createClients } from './clients.ts';
import { createCurrentPlan } from './current-plan.ts';
import { createReloads } from './reloads.ts';
import { runbooksOf, userAgentOf, type Runtime } from './runtime.ts';

/** What a daemon is given, with the options of its file store. `signal` aborts a start that waits for the storage. */
export interface DaemonOptions extends Runtime, Omit<FileStoreOptions, 'collectors'> {
  /** The kinds of targets that `loadConfig` reads. Defaults to every kind of this program. */
  readonly collectors?: CollectorSet;
  /** Reads the configuration, at the start and at each reload. Rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  readonly web: WebOptions;
  /** Whether `POST /-/reload` is enabled. Defaults to false. `Daemon#reload` always works. */
  readonly enableLifecycle?: boolean;
  /** The accounts whose series `/metrics` has. Defaults to all. */
  readonly shard?: Shard | undefined;
  readonly build: BuildInfo;
  /** Creates the timer of the cycles. Defaults to one that follows the cron expression. */
  readonly createTimer?: (cron: CronSchedule) => CycleTimer;
  /** Called when the daemon cannot continue: another one has its storage, or a newer version wrote a record in Redis. */
  readonly onFatal: (error: Error) => void;
}

export interface Daemon {
  /** The URL of the status page for a person, such as `http://localhost:10042`. */
  readonly url: string;
  /**
   * Loads the configuration again and applies the differences. Unchanged accounts, targets and polls are not touched. An
   * invalid configuration changes nothing. A daemon that is stopping refuses. While a reload runs, a further one waits
   * for its end, so that the last edit of the file is applied. An invalid file is a result, no rejection.
   */
  reload(): Promise<ReloadResult>;
  /**
   * Aborts the polls in flight, stores all records, and stops listening last. Logs what a storage that is slow or hangs
   * has not taken in time. Further calls return the promise of the first.
   */
  stop(): Promise<void>;
}

/**
 * Loads the configuration, listens, reads the stored records, and begins the first cycles.
 *
 * @throws InvalidFileError for an invalid configuration
 * @throws StoreError when another daemon has the storage, it cannot be read, or a newer version wrote a record
 * @throws ListenError when the address is in use or not permitted
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { collectors = allCollectors, enableLifecycle = false, loadConfig, shard, web } = options;
  const { build, env, fileCalls, logger, onFatal, random, signal, storagePath, touchMs } = options;
  const { clock: clockOfMachine } = options;

  const initialConfig = await loadConfig();
  const startedAtMs = clockOfMachine.now();
  logWarnings(initialConfig, logger);
  // A storage that fails at once says so before the daemon serves. One that hangs is waited for later.
  if (initialConfig.cluster === null) {
    const prepared = prepareDirectory(options);
    await Promise.race([prepared, delay(storageWaitMs, undefined, { ref: false })]);
  }

  const published = new PublishedRecords();
  const processMetrics = createProcessMetrics();
  const requests = createRequestCounts(processMetrics, logger);
  const server = await startWebServer(startingApp, web, logger);
  for (const url of server.urls) logger.info('serving', { url });

  const plan = createCurrentPlan(initialConfig, { collectors, published, requests, logger });
  const config = () => plan.current.config;

  const openRecords = async () => {
    const files = { storagePath, touchMs, collectors, fileCalls, logger, onFatal, signal };
    const ofRecords = { collectors, published, clock: clockOfMachine, logger };
    if (initialConfig.cluster === null) {
      const store = await openFileStore(files);
      const records = createLocalRecords({ ...ofRecords, store });
      records.start();
      await records.load();
      return { records, cluster: null, clock: clockOfMachine };
    }
    // One daemon alone does not load the job engine.
    const { openCluster } = await import('../cluster/cluster.ts');
    const about = { name: `${hostname()}:${process.pid}`, version: build.version, startedAtMs };
    const cluster = await openCluster({
      ...ofRecords,
      files,
      config: initialConfig.cluster,
      about,
      current: config,
      onRead: (replacement) => {
        plan.follow(replacement);
      },
      random,
    });
    return { records: cluster.records, cluster, clock: cluster.clock };
  };
  // The clock is that of Redis, where several daemons share the accounts and that of this daemon differs from it.
  const { clock, cluster, records } = await unlessStopped(openRecords(), signal).catch(
    async (error: unknown) => {
      await server.close();
      throw error;
    },
  );

  const clients = createClients({
    clock: clockOfMachine,
    random,
    env,
    fileCalls,
    collectors,
    observer: requests.observer,
    config: initialConfig,
    userAgent: userAgentOf(build),
  });
  const update: UpdateRecord = (target, updater) => records.update(target, updater);
  const { createTimer = (cron) => new CronTimer(cron, clock) } = options;
  const timer = createTimer(initialConfig.poll);
  const pollLog = new PollLog(logger);
  const trendStepOf = memoizePerObject(trendStepMs);
  const pollTarget = createPollTarget({
    collectors,
    update,
    clock,
    log: pollLog,
    ask: (target, context) => clients.poll(target, context, published.get(targetKey(target))),
    trendStepMs: () => trendStepOf(config().poll),
  });
  const poller = new Poller({
    collectors,
    plan,
    published,
    pollTarget,
    update,
    timer,
    clock,
    random,
    logger,
    settings: () => {
      const { api, poll } = config();
      const { jitterMs, staleAfterMs } = poll;
      return { jitterMs, staleAfterMs, minDeadlineMs: api.timeoutMs };
    },
    isShared: cluster !== null,
  });

  // The plan first, which the poller and the cluster read; the clients before the poller, which may poll at once.
  const applyConfig = (next: Config) => {
    const before = plan.current;
    plan.configure(next);
    const isRescheduled = timer.configure(next.poll);
    clients.configure(next);
    logWarnings(next, logger);
    poller.reloaded(before);
    cluster?.configure(new Set(plan.current.accounts), isRescheduled);
    logger.info('configuration reloaded', { targets: plan.current.targets.length });
  };
  const stopping = new AbortController();
  const reloads = createReloads({
    loadConfig,
    config,
    apply: applyConfig,
    clock,
    logger,
    startedAtMs,
    stopping: stopping.signal,
  });

  // The same object until a reload: the page memoizes by it.
  const linksOf = memoizePerObject((links: Links) => ({
    ...links,
    runbooks: links.runbooks ?? runbooksOf(build),
  }));
  const view: MonitorView = {
    collectors,
    published,
    clock,
    build,
    startedAtMs,
    staleAfterMs: () => config().poll.staleAfterMs,
    thresholds: () => config().thresholds,
    links: () => linksOf(config().links),
    statusPage: web.publicUrl?.page ?? null,
    accounts: () => config().accounts,
    warnings: () => networkWarnings(config()),
    status: () => ({
      cycles: poller.stats(),
      nextCycleMs: timer.nextRunMs(),
      storage: records.status,
      leftOut: plan.leftOut(),
      reload: reloads.results.last,
      webConfig: web.protection?.status(),
    }),
    api: () => ({ ...clients.status(), requests: requests.all() }),
    readiness: () => poller.readiness(),
    cluster: () => cluster?.status() ?? null,
    refresh: cluster && (() => cluster.records.refresh()),
    reload: enableLifecycle ? reloads.request : null,
  };
  const { minRenderMs, protection } = web;
  const hasUsers = () => protection?.hasUsers() ?? false;
  // Not before the stored records are read: they find further targets.
  plan.configure(initialConfig);
  server.serve(createApp({ view, processMetrics, shard, minRenderMs, hasUsers }));

  const stop = async () => {
    stopping.abort();
    timer.stop();
    if (cluster !== null) await withinStopTime(cluster.stop());
    // Aborted polls update no record. Saves under way end in `records.close()`.
    poller.stop();
    await records.close();
    pollLog.close();
    cluster?.close();
    clients.close();
    await server.close();
  };
  let stopped: Promise<void> | null = null;

  logger.info('polling', { targets: plan.current.targets.length });
  poller.start();
  cluster?.start(poller);
  return { url: server.url, reload: reloads.request, stop: () => (stopped ??= stop()) };
}

function logWarnings(config: Config, logger: Logger): void {
  for (const warning of networkWarnings(config)) {
    logger.warn('the configuration is dangerous', { warning });
  }
}

/** How long a start waits for the storage before it listens. */
const storageWaitMs = 250;
/** How long a start may go on after the signal to stop. A start on a good disk ends in this time. */
const maxStartingMs = 1_000;

/**
 * Waits for a part of a start that needs the storage; resolves or rejects as the part does. Gives up one second after the
 * signal aborts, and rejects with the reason of the signal. The part may go on in the background. Its result is then ignored.
 */
async function unlessStopped<T>(part: Promise<T>, signal: AbortSignal): Promise<T> {
  const isTooLate = await Promise.race([part.then(() => false), tooLate(signal)]);
  if (isTooLate) signal.throwIfAborted();
  return part;
}

/** Resolves one second after the signal aborts, and never without that. */
async function tooLate(signal: AbortSignal): Promise<true> {
  if (!signal.aborted) await once(signal, 'abort');
  await delay(maxStartingMs, undefined, { ref: false });
  return true;
}
