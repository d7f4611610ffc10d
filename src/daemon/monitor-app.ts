/** The HTTP side of a daemon: its pages, its JSON and its metrics. */
import type { Cluster } from '../cluster/cluster.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { networkWarnings } from '../config/network-warnings.ts';
import { createApp } from '../expose/app.ts';
import { exposition } from '../expose/metrics/exposition.ts';
import type { MeasuredMetrics } from '../expose/metrics/process-metrics.ts';
import type { MonitorView } from '../expose/monitor-view.ts';
import { createEvaluator } from '../expose/evaluation.ts';
import type { Clock } from '../model/clock.ts';
import type { ApiStatus, MonitorStatus, StorageStatus } from '../model/monitor-status.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { Poller } from '../poll/poller.ts';
import type { RecordKeeper } from '../storage/record-keeper.ts';
import type { DaemonOptions } from './daemon-options.ts';
import type { Plans } from './plans.ts';
import type { Reloads } from './reloads.ts';

/** The records of a daemon: in files, or in Redis together with other daemons. */
export type Records = Pick<RecordKeeper, 'status' | 'load' | 'update' | 'close'>;

/** What there is once the stored records are read. */
export interface Loaded {
  readonly records: Records;
  /** `null` for one daemon alone. */
  readonly cluster: Cluster | null;
  readonly poller: Poller;
}

/** The parts of a daemon that are shown. */
export interface Shown extends DaemonOptions {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  /** The clock of Redis, where several daemons share the accounts. */
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly measured: MeasuredMetrics;
  readonly api: () => ApiStatus;
  readonly plans: Plans;
  readonly reloads: Reloads;
  readonly loaded: () => Loaded | null;
  readonly nextCycleMs: () => number | null;
}

const nothingStored: StorageStatus = { failures: 0, damaged: 0, unwritten: 0, problem: null };
const nothingAttempted = { isReady: false, attempted: 0, targets: 0 };

export function createMonitorApp(shown: Shown) {
  const { enableLifecycle = false, loaded, logger, plans, reloads, web } = shown;
  const config = () => plans.present.config;
  const view: MonitorView = {
    ...shown,
    staleAfterMs: () => config().poll.staleAfterMs,
    thresholds: () => config().thresholds,
    links: () => config().links,
    accounts: () => config().accounts,
    warnings: () => networkWarnings(config()),
    status: () => statusOf(shown),
    isLoaded: () => loaded() !== null,
    readiness: () => loaded()?.poller.readiness() ?? nothingAttempted,
    cluster: () => loaded()?.cluster?.status() ?? null,
    // What other daemons wrote.
    refresh: config().cluster && (async () => loaded()?.cluster?.records.refresh()),
    isLifecycleEnabled: () => enableLifecycle,
    reload: () => reloads.request(),
  };
  const source = createEvaluator(view);
  const scrape = exposition({ ...shown, ...source, minRenderMs: web.minRenderMs });
  const onFailure = (err: unknown, path: string) => {
    logger.error('request failed', { path, err });
  };
  return createApp(source, scrape, onFailure, () => web.protection?.hasUsers() ?? false);
}

function statusOf({ loaded, nextCycleMs, plans, reloads, web }: Shown): MonitorStatus {
  const { byAccount, config } = plans.present;
  const discovering = config.accounts.filter(({ discoveredRegions }) => discoveredRegions !== null);
  return {
    cycles: loaded()?.poller.stats() ?? new Map(),
    nextCycleMs: nextCycleMs(),
    storage: loaded()?.records.status ?? nothingStored,
    leftOut: new Map(discovering.map(({ name }) => [name, byAccount.get(name)?.leftOut ?? []])),
    reload: reloads.last,
    webConfig: web.protection?.status(),
  };
}
