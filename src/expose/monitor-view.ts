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

/** Everything that pages show: the published records, and the state of the daemon. */
export interface MonitorView {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  readonly build: BuildInfo;
  readonly startedAtMs: number;
  staleAfterMs(): number;
  /** With overrides that have ended. */
  thresholds(): Thresholds;
  links(): Links;
  /** Every account of the configuration. */
  accounts(): readonly LabelledAccount[];
  status(): MonitorStatus;
  api(): ApiStatus;
  readiness(): Readiness;
  /** What is dangerous about the configuration. */
  warnings(): readonly string[];
  /** The daemons that share the accounts; `null` for one daemon alone. */
  cluster(): ClusterStatus | null;
  /** Reads what other daemons wrote, before an answer. `null` for one daemon alone. */
  readonly refresh: (() => Promise<void>) | null;
  /** Whether a request may cause a reload. */
  isLifecycleEnabled(): boolean;
  /** Loads the configuration again. An invalid one changes nothing. */
  reload(): Promise<ReloadResult>;
}
