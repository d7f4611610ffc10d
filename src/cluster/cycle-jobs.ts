/**
 * The cycles of accounts as jobs of BullMQ. `cluster.ts` starts and wakes them. Each account has one job, which does not end:
 * 1. Delayed or waiting in Redis: no daemon has it. At its due time, or when it is woken, BullMQ gives it to a daemon.
 * 2. Running: the daemon has its lock and a {@link Lease}, begins an epoch, and runs the cycle that is due.
 * 3. Kept: the cycle has ended, and the daemon waits here for the next due time or for a `wake`, then runs the next cycle.
 * 4. Handed back: a daemon with more jobs than its share delays the job until its next due time. One that stops, or whose
 *    lease has ended, gives the job to another daemon at once.
 *
 * BullMQ renews the lock while a daemon has the job. When the lock expires, another daemon gets the job. The job scheduler
 * of BullMQ is not used: it adds the job of the next due time while a long cycle runs, so that two daemons poll one account
 * (found with BullMQ 6).
 */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, WaitingError, type Job } from 'bullmq';
import type { ClusterConfig } from '../config/config.ts';
import { KeyedQueue } from '../model/async.ts';
import type { Logger } from '../log.ts';
import { messageOf } from '../model/errors.ts';
import type { Poller } from '../poll/poller.ts';
import { clusterKeys } from './keys.ts';
import type { RedisConnections } from './connection.ts';
import type { RedisStore } from './redis-store.ts';
import type { SharedRecords } from './shared-records.ts';
import type { DueTimes } from '../schedule/due-times.ts';
import { jobIdOf, Lease, LeaseWorker, type JobData } from './lease.ts';

/** The part of the poller that runs the cycles of this daemon. */
export type CyclePoller = Pick<Poller, 'runCycle' | 'hasNew'>;

export interface CycleJobsOptions {
  readonly config: Pick<ClusterConfig, 'name' | 'lockMs'>;
  readonly connections: RedisConnections;
  readonly store: RedisStore;
  readonly records: SharedRecords;
  readonly due: DueTimes;
  /** The ID of this daemon. */
  readonly member: string;
  readonly logger: Logger;
}

const queueName = 'cycles';
/** How often a daemon looks for jobs whose lock has expired, because their daemon is gone. */
const stalledIntervalMs = 1_000;
/** Time until the next attempt after a cycle could not begin, or failed because of a bug. */
const failedDelayMs = 1_000;
/** Time until the job is handed back after the cluster ID has changed. */
const idChangedDelayMs = 100;
/** A daemon waits at most this long for the next due time, then computes it again: the schedule may have changed. */
const maxDelayMs = 60 * 60 * 1_000;
/**
 * A daemon that gets the job of an account that it does not have configured puts the job back: at first with the shortest
 * delay, then with more, up to the longest. After a day without a daemon that has the account, the job ends.
 */
const unknownAccount = { minDelayMs: 100, maxDelayMs: 10_000, maxAgeMs: 24 * 60 * 60 * 1_000 };

/** Takes jobs from Redis, and runs their cycles with {@link poller}. */
export class CycleJobs {
  /** The number of cycles that this daemon began while another one had not ended its own. */
  takenOver = 0;
  /** The share of this daemon: with more jobs, it hands back each one whose cycle ends, or that is woken. */
  maxHeldJobs = 0;
  /** Set before {@link start}. */
  poller!: CyclePoller;
  readonly #options: CycleJobsOptions;
  readonly #queue: Queue<JobData, void>;
  readonly #worker: LeaseWorker;
  /** Holds one lease of an account at a time: a daemon that was suspended may get the job while its old lease ends. */
  readonly #byAccount = new KeyedQueue();
  /** An event with the ID of a job ends its wait for the next due time. */
  readonly #wakeUps = new EventEmitter();
  #isStopping = false;

  constructor(options: CycleJobsOptions) {
    this.#options = options;
    const { config, connections, logger, records } = options;
    const common = { connection: connections.engine, prefix: clusterKeys(config.name).engine };
    this.#queue = new Queue(queueName, common);
    this.#worker = new LeaseWorker(queueName, (job, token = '') => this.#process(job, token), {
      ...common,
      autorun: false,
      // Without a limit: when a daemon is gone, the others run its cycles at once.
      concurrency: Number.MAX_SAFE_INTEGER,
      lockDuration: config.lockMs,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // The pause after an error of Redis.
      runRetryDelay: stalledIntervalMs,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.leases = records.leases;
    const report = (error: Error) => {
      logger.debug('the job engine reports', () => ({ reason: messageOf(error) }));
    };
    this.#queue.on('error', report);
    this.#worker.on('error', report);
  }

  /** Begins to take jobs. */
  start(): void {
    void this.#worker.run().catch((error: unknown) => {
      this.#options.logger.error('the job engine ended', { reason: messageOf(error) });
    });
  }

  /**
   * Adds the jobs of these accounts that do not exist, and ends the wait of those that wait here or are delayed: each then
   * runs what is due. Jobs that run, or that another daemon keeps, stay as they are. Never rejects.
   */
  async wake(accounts: readonly string[]): Promise<void> {
    const jobOf = (account: string) => ({
      name: 'cycle',
      data: { account },
      opts: { jobId: jobIdOf(account) },
    });
    // `emit` is true for a job that waits here.
    const notHere = accounts.filter((account) => !this.#wakeUps.emit(jobIdOf(account)));
    const jobs = await this.#queue.addBulk(notHere.map(jobOf)).catch(() => []);
    await Promise.allSettled(jobs.map((job) => job.promote()));
  }

  /** Ends all leases, and resolves when all jobs are handed back. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = this.#worker.close();
    for (const lease of this.#options.records.leases.values()) lease.end();
    await closed;
    await this.#queue.close();
  }

  /**
   * Handles a job that this daemon got, until it is handed back. BullMQ calls it.
   *
   * @param token proves to Redis that this daemon has the lock
   * @throws WaitingError when the job was put back: BullMQ asks for it. Returning ends the job for ever
   */
  async #process(job: Job<JobData, void>, token: string): Promise<void> {
    const { logger, records } = this.#options;
    const { account, unknownSinceMs } = job.data;
    try {
      if (records.isConfigured(account)) {
        if (unknownSinceMs !== undefined) await job.updateData({ account });
        const delayMs = await this.#byAccount.run(account, () => this.#hold(account, token));
        if (delayMs === null) await job.moveToWait(token);
        else await job.moveToDelayed(Date.now() + Math.min(delayMs, maxDelayMs), token);
      } else {
        const isPutBack = await putBackUnknown(job, token);
        if (!isPutBack) return;
      }
    } catch (error) {
      // Another daemon has the lock. If not, the lock expires, and the engine gives the job to a daemon.
      logger.debug('a job was not handed back', () => ({ account, reason: messageOf(error) }));
    }
    throw new WaitingError();
  }

  /**
   * Runs cycles of an account for as long as this daemon keeps its job. A daemon that keeps a job need not read the records
   * before each cycle, since it wrote them.
   *
   * @returns the time until the job is due again; `null` when the job must be given to a daemon at once
   */
  async #hold(account: string, token: string): Promise<number | null> {
    const { config, connections, records, store } = this.#options;
    const id = jobIdOf(account);
    // With the present ID: a Redis that is emptied later has lost the lock of this lease.
    const lease = new Lease(config.lockMs, records.clusterId);
    records.leases.set(account, lease);
    try {
      await this.#worker.extendJobLocks([id], [token], config.lockMs);
      if (this.#isStopping) lease.end();
      while (records.isConfigured(account)) {
        lease.beforeSend();
        const delayMs = await this.#runCycle(account, lease);
        // False after a cycle that failed: it is ended below, so that its due time is due again.
        const isIdle = lease.epoch === null;
        const isKept = isIdle && records.leases.size <= this.maxHeldJobs;
        if (delayMs === null || !isKept) return delayMs;
        const timer = setTimeout(() => this.#wakeUps.emit(id), Math.min(delayMs, maxDelayMs));
        await once(this.#wakeUps, id, { signal: lease.signal }).catch(() => undefined);
        clearTimeout(timer);
      }
      return null;
    } catch (error) {
      if (lease.signal.aborted) return null;
      connections.reportFailure(error);
      return failedDelayMs;
    } finally {
      // Ends polls in flight: they must not send once another daemon has begun.
      lease.end();
      records.leases.delete(account);
      // Ends a cycle that is not complete: its due time is due again.
      const { epoch } = lease;
      if (epoch !== null) await store.endCycle(account, epoch, null).catch(() => undefined);
    }
  }

  /**
   * Runs the cycle that is due, if there is one.
   *
   * @returns the time until the next one is due; `null` when the job must be given to a daemon at once
   * @throws Error when Redis cannot be used, or the lease has ended
   */
  async #runCycle(account: string, lease: Lease): Promise<number | null> {
    const { due, logger, records, store } = this.#options;
    const begun = await this.#begin(account, lease);
    if (begun === 'already-finished') return due.untilNextMs();
    if (begun === 'id-changed') {
      // The next lease begins with the cluster ID that this reads.
      await Promise.all([records.refresh(), delay(idChangedDelayMs)]);
      return null;
    }
    // Until then, the requests of the cycle before count for the rate limit of the service.
    await delay(begun.waitMs, undefined, { signal: lease.signal });
    const { epoch, finishedDueMs } = await records.read(account);
    // Redis has lost its last writes, or another daemon has begun a cycle.
    if (epoch !== begun.epoch) return null;
    const missed = due.countMissed(finishedDueMs, begun.dueMs);
    /** Not a cycle of the schedule: it polls only new and changed targets. */
    const onlyNew = begun.dueMs === null;
    // A cycle of the schedule also serves a due time that came while it waited. `null` serves none: it stays due.
    let servedDueMs = onlyNew ? null : due.lastDueMs();
    const onOverlap = () => {
      servedDueMs = due.lastDueMs();
    };
    const { beforeSend, signal } = lease;
    try {
      const ofCycle = { beforeSend, onOverlap, signal };
      await this.poller.runCycle(account, ofCycle, { missed, onlyNew });
    } catch (error) {
      logger.error('a cycle failed', { account, reason: messageOf(error) });
      return failedDelayMs;
    }
    // A reload that removed the account has aborted polls: the cycle is not complete.
    if (lease.signal.aborted || !records.isConfigured(account)) return null;
    const gone = records.forgetGone(account);
    await store.endCycle(account, begun.epoch, servedDueMs, gone);
    lease.epoch = null;
    return due.untilNextMs();
  }

  /**
   * Begins the cycle that is due. If none is, begins one for new and changed targets, where there are some.
   *
   * @returns as `RedisStore#beginCycle`, with the due time of the cycle; `null`: it is for new and changed targets
   */
  async #begin(account: string, lease: Lease) {
    const { due, logger, member, store } = this.#options;
    const { clusterId: id } = lease;
    let dueMs = due.lastDueMs();
    let begun: Awaited<ReturnType<RedisStore['beginCycle']>> = 'already-finished';
    if (dueMs !== null) begun = await store.beginCycle(account, { member, dueMs, id });
    if (begun === 'already-finished' && this.poller.hasNew(account)) {
      dueMs = null;
      begun = await store.beginCycle(account, { member, dueMs, id });
    }
    if (typeof begun === 'string') return begun;
    lease.epoch = begun.epoch;
    const { takenFrom: from } = begun;
    if (from !== '' && from !== member) {
      this.takenOver += 1;
      logger.warn('cycle taken over: its daemon is silent', { account, from });
    }
    return { ...begun, dueMs };
  }
}

/**
 * Puts back the job of an account that this daemon does not have configured, for another daemon.
 *
 * @returns `false` when no daemon has had the account for a day: the job ends
 */
async function putBackUnknown(job: Job<JobData, void>, token: string): Promise<boolean> {
  const nowMs = Date.now();
  const { account, unknownSinceMs = nowMs } = job.data;
  const ageMs = nowMs - unknownSinceMs;
  if (ageMs > unknownAccount.maxAgeMs) return false;
  if (ageMs === 0) await job.updateData({ account, unknownSinceMs });
  const risingMs = Math.max(unknownAccount.minDelayMs, ageMs / 50);
  const delayMs = Math.min(risingMs, unknownAccount.maxDelayMs);
  await job.moveToDelayed(nowMs + delayMs, token);
  return true;
}
