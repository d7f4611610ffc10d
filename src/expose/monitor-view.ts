/** The interface through which pages, JSON and metrics read the daemon. The composition root (`daemon.ts`) implements it. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Clock } from '../model/clock.ts';
import type { ClusterStatus } from '../model/cluster-status.ts';
import type { Links } from '../model/links.ts';
import type {
  ApiStatus,
  BuildInfo,
  MonitorStatus,
  Readiness,
  ReloadResult,
} from '../model/monitor-status.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { LabelledAccount } from '../model/target.ts';
import type { Thresholds } from '../model/thresholds.ts';

/** Functions give the state at the time of the call: a reload replaces the configuration. */
export interface MonitorView {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  readonly build: BuildInfo;
  readonly startedAtMs: number;
  /** `poll.stale_after`. */
  staleAfterMs(): number;
  /** As configured, with overrides that have ended: `thresholdsAt` leaves those out. */
  thresholds(): Thresholds;
  links(): Links;
  /** The address at which people open the status page, without a slash at its end. `null` if it is not known. */
  readonly statusPage: string | null;
  /** Every account of the configuration. */
  accounts(): readonly LabelledAccount[];
  /** Cycles, storage, and the last reload. */
  status(): MonitorStatus;
  /** Requests, rates and credentials of the accounts. */
  api(): ApiStatus;
  /** For `/-/ready`. */
  readiness(): Readiness;
  /** A text for each setting that is dangerous. */
  warnings(): readonly string[];
  /** The daemons that share the accounts; `null` for one daemon alone. */
  cluster(): ClusterStatus | null;
  /** Publishes what other daemons stored; each answer awaits it first. `null` for one daemon alone. */
  readonly refresh: (() => Promise<void>) | null;
  /** Loads the configuration again. An invalid one changes nothing. `null` without `--web.enable-lifecycle`. */
  readonly reload: (() => Promise<ReloadResult>) | null;
}
