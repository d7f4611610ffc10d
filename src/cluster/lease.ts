/** The lease of a daemon on an account, and the worker of BullMQ that extends it. `cycle-jobs.ts` creates both. */
import { Worker } from 'bullmq';

/**
 * The part of a lock that a daemon uses, by its own clock. The lock ends by the clock of Redis: the rest covers clocks
 * whose speeds differ by up to 5 %.
 */
const usableLockShare = 0.9;

/**
 * The permission of this daemon to poll an account and to write its records. It lasts while the lock of the account's job
 * is renewed, by the monotonic clock of this daemon. `CycleJobs` creates one for each job that it gets. It begins with the
 * first {@link extend}, and ends for good.
 */
export class Lease {
  /** The epoch of the cycle that this daemon runs, or that failed: it writes records with it. `null` while the job waits. */
  epoch: number | null = null;
  /** The cluster ID that this daemon knew when the lease began. No cycle begins in a Redis with another one. */
  readonly clusterId: string;
  readonly #lockMs: number;
  readonly #ending = new AbortController();
  readonly signal: AbortSignal = this.#ending.signal;
  /** By `performance.now()`. */
  #endMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(lockMs: number, clusterId: string) {
    this.#lockMs = lockMs;
    this.clusterId = clusterId;
  }

  /** Called before each request. Throws, and ends the lease, unless the lock was renewed in time. */
  readonly beforeSend = (): void => {
    if (performance.now() >= this.#endMs) this.end();
    this.signal.throwIfAborted();
  };

  /**
   * Extends the lease after Redis has renewed the lock.
   *
   * @param askedAtMs when the renewal was sent, by `performance.now()`: the lock lasts from then on at least
   */
  extend(askedAtMs: number): void {
    if (this.signal.aborted) return;
    this.#endMs = Math.max(this.#endMs, askedAtMs + this.#lockMs * usableLockShare);
    clearTimeout(this.#timer);
    // Node.js warns of a negative time.
    this.#timer = setTimeout(this.end, Math.max(0, this.#endMs - performance.now()));
  }

  /** Ends the lease for good: aborts the polls of the account. */
  readonly end = (): void => {
    clearTimeout(this.#timer);
    this.#ending.abort(new Error('the lease has ended'));
  };
}

/** A job, as Redis has it. */
export interface JobData {
  readonly account: string;
  /** Since when no daemon that got the job has the account configured, in milliseconds since the Unix epoch. */
  readonly unknownSinceMs?: number;
}

const jobIdPrefix = 'cycle@';

/** Names the one job of an account in the queue. */
export const jobIdOf = (account: string): string => jobIdPrefix + account;

/** A worker of BullMQ that extends the lease of each job whose lock it has renewed, and ends a lease whose lock is lost. */
export class LeaseWorker extends Worker<JobData, void> {
  /** By account. Set before the first job. */
  leases: ReadonlyMap<string, Lease> = new Map();

  /**
   * BullMQ calls it for all jobs of this daemon, several times in the time of the lock; `CycleJobs` for a new job.
   *
   * @returns the IDs of the jobs whose lock is lost
   */
  override async extendJobLocks(jobIds: string[], tokens: string[], lockMs: number) {
    const askedAtMs = performance.now();
    const lost = await super.extendJobLocks(jobIds, tokens, lockMs);
    for (const id of jobIds) {
      const lease = this.leases.get(id.slice(jobIdPrefix.length));
      if (lost.includes(id)) lease?.end();
      else lease?.extend(askedAtMs);
    }
    return lost;
  }
}
