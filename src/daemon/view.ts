/** The view of a running daemon that pages, JSON and metrics are made of. The composition root builds it once. */
import type { Cluster } from '../cluster/cluster.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { networkWarnings } from '../config/config.ts';
import type { PublicUrl } from '../expose/external-url.ts';
import type { MonitorView } from '../expose/monitor-view.ts';
import type { WebProtection } from '../expose/web-config/protection.ts';
import type { Clock } from '../model/clock.ts';
import type { Links } from '../model/links.ts';
import { memoizePerObject } from '../model/memoize.ts';
import type { ApiStatus, BuildInfo, MonitorStatus } from '../model/monitor-status.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { Poller } from '../poll/poller.ts';
import type { CycleTimer } from '../schedule/cycle-timer.ts';
import type { RecordStorage } from '../storage/store.ts';
import type { CurrentPlan } from './current-plan.ts';
import type { Reloads } from './reloads.ts';
import { runbooksOf } from './runtime.ts';

export interface ViewOptions {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly plan: CurrentPlan;
  readonly records: Pick<RecordStorage, 'status'>;
  /** `null` for one daemon alone. */
  readonly cluster: Cluster | null;
  readonly timer: CycleTimer;
  readonly poller: Poller;
  readonly reloads: Reloads;
  /** The requests to the service. */
  readonly api: () => ApiStatus;
  readonly clock: Clock;
  readonly build: BuildInfo;
  readonly startedAtMs: number;
  readonly enableLifecycle: boolean;
  readonly protection: WebProtection | undefined;
  readonly publicUrl: PublicUrl | undefined;
}

export function createView(options: ViewOptions): MonitorView {
  const { api, build, clock, cluster, collectors, enableLifecycle, plan, poller } = options;
  const { publicUrl, published, reloads, startedAtMs } = options;
  const config = () => plan.current.config;
  // The same object for the same configuration: the page memoizes by it.
  const linksOf = memoizePerObject((configured: Links): Links => {
    return { ...configured, runbooks: configured.runbooks ?? runbooksOf(build) };
  });
  return {
    collectors,
    published,
    clock,
    build,
    startedAtMs,
    staleAfterMs: () => config().poll.staleAfterMs,
    thresholds: () => config().thresholds,
    links: () => linksOf(config().links),
    statusPage: publicUrl?.page ?? null,
    accounts: () => config().accounts,
    warnings: () => networkWarnings(config()),
    status: () => statusOf(options),
    api,
    readiness: () => poller.readiness(),
    cluster: () => cluster?.status() ?? null,
    // What other daemons wrote.
    refresh: cluster && (() => cluster.records.refresh()),
    isLifecycleEnabled: () => enableLifecycle,
    reload: () => reloads.request(),
  };
}

function statusOf(options: ViewOptions): MonitorStatus {
  const { plan, poller, protection, records, reloads, timer } = options;
  const { byAccount, config } = plan.current;
  const discovering = config.accounts.filter((account) => account.discoveredRegions !== null);
  return {
    cycles: poller.stats(),
    nextCycleMs: timer.nextRunMs(),
    storage: records.status,
    leftOut: new Map(discovering.map(({ name }) => [name, byAccount.get(name)?.leftOut ?? []])),
    reload: reloads.last,
    webConfig: protection?.status(),
  };
}
