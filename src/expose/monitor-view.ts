import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Clock } from '../model/clock.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { BuildInfo } from '../model/build-info.ts';
import type { MonitorStatus } from './metrics/monitor-metrics.ts';

/** How many targets were attempted since the start. */
export interface Readiness {
  /** Every target was attempted, at some time: those that a reload adds do not take it back. */
  readonly isReady: boolean;
  readonly attempted: number;
  readonly targets: number;
}

export type ReloadResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** All that pages show: the published records, and what the daemon says of itself. */
export interface MonitorView {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  readonly build: BuildInfo;
  readonly startedAtMs: number;
  staleAfterMs(): number;
  status(): MonitorStatus;
  readiness(): Readiness;
  /** Why records cannot be stored at present; `null` while they can. */
  storageProblem(): string | null;
  /** Whether a request may ask for a reload. */
  isLifecycleEnabled(): boolean;
  /** Loads the configuration again; a bad one changes nothing. */
  reload(): Promise<ReloadResult>;
}
