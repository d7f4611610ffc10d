/** What `Poller` needs. The daemon implements the plan, and the cluster the lease. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import type { RecordReplacement } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { Target } from '../model/target.ts';
import type { CycleTimer } from '../schedule/cycle-timer.ts';
import type { PollTarget, UpdateRecord } from './poll-target.ts';

/** The targets of a configuration, with those that answers found. Immutable: another plan is another object. */
export interface PollPlan {
  readonly accounts: readonly string[];
  readonly targetsOf: (account: string) => readonly Target[];
  /** The target with a key. It is the same object until the target changes. */
  readonly get: (key: string) => Target | undefined;
}

/** The plan that polls follow, and that their answers extend. */
export interface FollowedPlan {
  readonly current: PollPlan;
  /**
   * Follows a record that was replaced: its answer may have found other targets.
   *
   * @returns whether `current` is another plan now
   */
  follow(replacement: RecordReplacement): boolean;
}

/** The permission to poll the targets of an account, for one cycle. The cluster gives it with `Poller#runCycle`. */
export interface AccountLease {
  /** Aborts when the permission ends. */
  readonly signal: AbortSignal;
  /** Called right before each request. Throws when the permission has ended. */
  readonly beforeSend: () => void;
  /** Called when another cycle of the account is due: the running one polls for it too. */
  readonly onOverlap: () => void;
}

export interface PollerOptions {
  readonly collectors: CollectorSet;
  readonly plan: FollowedPlan;
  readonly published: PublishedRecords;
  readonly pollTarget: PollTarget;
  readonly update: UpdateRecord;
  readonly timer: CycleTimer;
  /** The settings of the present configuration. */
  readonly settings: () => {
    /** The maximum random delay before each cycle of the schedule. */
    readonly jitterMs: number;
    /** The least time for the retries of a cycle, also when the next run is due sooner. */
    readonly minDeadlineMs: number;
    /** The time after a success in which a target is not stale. */
    readonly staleAfterMs: number;
  };
  /** Whether a cluster begins the cycles, by `Poller#runCycle`. Otherwise this daemon runs every cycle that is due. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
}
