/**
 * The cycles of accounts as jobs. Each account has one job for ever: the daemon that gets it runs the cycle, keeps the
 * job, and runs the next one. With more than its share, it delays the job until the next due time, for another one.
 * The engine locks the job, renews the lock, and gives it to another daemon when the lock expires. A job scheduler of
 * the engine adds the job of the next due time while a long cycle runs, so that two daemons poll one account (seen
 * with BullMQ 6).
 */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ClusterConfig } from '../config/config.ts';
import { KeyedQueue } from '../model/keyed-queue.ts';
import { messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Poller } from '../poll/poller.ts';
import { clusterKeys } from './keys.ts';
import type { BegunCycle } from './redis-store.ts';
import type { SharedRecords, SharedRecordsOptions } from './shared-records.ts';
import type { DueTimes } from '../schedule/due-times.ts';
import { Lease } from './lease.ts';

/** Polls the targets of an account, which this daemon may do while the lease lasts. */
export type RunCycle = Poller['runCycle'];

export interface CyclesOptions extends SharedRecordsOptions {
  readonly config: ClusterConfig;
  /** The connection of the job engine. */
  readonly engine: Redis;
  readonly records: SharedRecords;
  readonly due: DueTimes;
  /** Of this daemon. */
  readonly member: string;
}

/** Whether a target, such as one that a reload added, has had no poll yet. */
export const isUnpolled = ({ observed }: TargetRecord): boolean =>
  observed.freshness.lastPoll === null;

interface CycleData {
  readonly account: string;
  /** Since when daemons pass it on that do not know the account, in milliseconds since the Unix epoch. */
  readonly unknownSinceMs?: number;
}

const queueName = 'cycles';
/** How often a daemon looks for cycles of daemons that are gone. */
const stalledIntervalMs = 1_000;
/** Time before a cycle that could not begin, or failed because of a mistake of this program, is tried again. */
const failedDelayMs = 1_000;
/** No daemon waits longer for the next due time: a schedule may change. */
const maxDelayMs = 60 * 60 * 1_000;
/** Daemons that do not know an account pass its job on: at first often, then more and more rarely, and at last no more. */
const requeue = { minDelayMs: 100, maxDelayMs: 10_000, endMs: 24 * 60 * 60 * 1_000 };

const jobIdOf = (account: string): string => `cycle@${account}`;

/** Tells each lease when the renewal of its lock was asked for: the lock lasts from then on at the least. */
class TimedWorker extends Worker<CycleData, void> {
  leases: ReadonlyMap<string, Lease> = new Map();

  override async extendJobLocks(jobIds: string[], tokens: string[], lockMs: number) {
    const askedAtMs = performance.now();
    const lost = await super.extendJobLocks(jobIds, tokens, lockMs);
    for (const id of jobIds) {
      const lease = this.leases.get(id.slice(jobIdOf('').length));
      if (lost.includes(id)) lease?.end();
      else lease?.confirmed(askedAtMs);
    }
    return lost;
  }
}

export class Cycles {
  /** How many cycles this daemon took over from another one that had not ended them. */
  takenOver = 0;
  /** How many jobs this daemon keeps when their cycles end. More are handed back when they are woken. */
  maxKeptJobs = 0;
  /** Set before {@link start}. */
  runCycle: RunCycle = () => Promise.reject(new Error('no cycle runs before the start'));
  readonly #options: CyclesOptions;
  readonly #queue: Queue<CycleData, void>;
  readonly #worker: TimedWorker;
  /** A job can come back to a daemon that was suspended: then it waits for the end of the lease before. */
  readonly #byAccount = new KeyedQueue();
  /** The jobs that wait here for their next due time. An event with its ID ends the wait of a job. */
  readonly #waits = new EventEmitter();
  #isStopping = false;

  constructor(options: CyclesOptions) {
    this.#options = options;
    const { config, engine, logger, records } = options;
    const common = { connection: engine, prefix: clusterKeys(config.name).engine };
    // The engine and the client have no other place for their warnings.
    for (const name of ['warn', 'error'] as const) {
      // oxlint-disable-next-line no-console
      console[name] = (text: unknown) => {
        logger.debug('the job engine warns', () => ({ text: String(text) }));
      };
    }
    this.#queue = new Queue(queueName, common);
    this.#worker = new TimedWorker(queueName, (job, token = '') => this.#process(job, token), {
      ...common,
      autorun: false,
      // It always waits for one more: when a daemon is gone, the others run its cycles at once.
      concurrency: Number.MAX_SAFE_INTEGER,
      lockDuration: config.lockMs,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // After an error of Redis.
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
   * Runs the jobs of accounts now, after adding those that do not exist: each finds out what there is to do. Jobs that
   * run, or that another daemon keeps, stay as they are. Never rejects.
   */
  async wake(accounts: readonly string[]): Promise<void> {
    const jobOf = (account: string) => ({
      name: 'cycle',
      data: { account },
      opts: { jobId: jobIdOf(account) },
    });
    const others = accounts.filter((account) => !this.#waits.emit(jobIdOf(account)));
    const jobs = await this.#queue.addBulk(others.map(jobOf)).catch(() => []);
    await Promise.allSettled(jobs.map((job) => job.promote()));
  }

  /** Hands all jobs back, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = this.#worker.close();
    for (const lease of this.#options.records.leases.values()) lease.end();
    await closed;
    await this.#queue.close();
  }

  async #process(job: Job<CycleData, void>, token: string): Promise<void> {
    const { logger, records } = this.#options;
    const { account, unknownSinceMs } = job.data;
    try {
      if (records.isConfigured(account)) {
        if (unknownSinceMs !== undefined) await job.updateData({ account });
        const delayMs = await this.#byAccount.run(account, () => this.#hold(account, token));
        if (delayMs === null) await job.moveToWait(token);
        else await job.moveToDelayed(Date.now() + Math.min(delayMs, maxDelayMs), token);
      } else if (!(await requeueUnknown(job, token))) {
        return;
      }
    } catch (error) {
      // The lock has passed on. If not, it expires, and the engine gives the job to a daemon.
      logger.debug('a job was not handed back', () => ({ account, reason: messageOf(error) }));
    }
    throw new WaitingError();
  }

  /**
   * Runs cycles of an account for as long as this daemon keeps its job: it need not read again then what it wrote.
   *
   * @returns the time until the job is due again; `null` when another daemon must run it at once
   */
  async #hold(account: string, token: string): Promise<number | null> {
    const { config, health, records, store } = this.#options;
    const id = jobIdOf(account);
    // A Redis that was emptied has lost the lock of this lease: then it may begin no cycle there.
    const lease = new Lease(config.lockMs, records.id);
    records.leases.set(account, lease);
    try {
      await this.#worker.extendJobLocks([id], [token], config.lockMs);
      if (this.#isStopping) lease.end();
      while (records.isConfigured(account)) {
        lease.beforeSend();
        const delayMs = await this.#runCycle(account, lease);
        const isKept = lease.begun === null && records.leases.size <= this.maxKeptJobs;
        if (delayMs === null || !isKept) return delayMs;
        const timer = setTimeout(() => this.#waits.emit(id), Math.min(delayMs, maxDelayMs));
        await once(this.#waits, id, { signal: lease.signal }).catch(() => undefined);
        clearTimeout(timer);
      }
      return null;
    } catch (error) {
      if (lease.signal.aborted) return null;
      health.failed(error);
      return failedDelayMs;
    } finally {
      // Other polls of the account may be in flight. They must not send once another daemon has begun.
      lease.end();
      records.leases.delete(account);
      // A cycle that was not completed ends too: its due time is due again.
      const { begun } = lease;
      if (begun !== null) await store.end(account, begun.epoch, 0).catch(() => undefined);
    }
  }

  /** @throws Error when Redis cannot be used, or the lease has ended */
  async #runCycle(account: string, lease: Lease): Promise<number | null> {
    const { due, logger, records, store } = this.#options;
    const begun = await this.#begin(account, lease);
    if (begun === 'finished') return due.untilNextMs();
    if (begun === 'other') {
      // The next lease is of the Redis that this finds.
      await Promise.all([records.refresh(), delay(requeue.minDelayMs)]);
      return null;
    }
    await delay(begun.waitMs, undefined, { signal: lease.signal });
    const { epoch, finishedDueMs } = await records.read(account);
    // A Redis without its last writes has given the job to another daemon.
    if (epoch !== begun.epoch) return null;
    const missed = due.countMissed(finishedDueMs, lease.dueMs);
    // What became due meanwhile is polled now too.
    if (lease.dueMs !== null) lease.dueMs = due.lastDueMs();
    try {
      await this.runCycle(account, lease, { missed, onlyNew: lease.dueMs === null });
    } catch (error) {
      logger.error('a cycle failed', { account, reason: messageOf(error) });
      return failedDelayMs;
    }
    // A reload has removed it meanwhile: this daemon did not poll all of its targets.
    if (lease.signal.aborted || !records.isConfigured(account)) return null;
    const gone = records.forgetGone(account);
    await store.end(account, begun.epoch, lease.dueMs ?? 0, gone);
    lease.begun = null;
    return due.untilNextMs();
  }

  /** Begins the cycle that is due. If there is none, one that polls only targets without a poll. */
  async #begin(account: string, lease: Lease): Promise<BegunCycle | 'other' | 'finished'> {
    const { due, logger, member, published, store } = this.#options;
    const begin = async (dueMs: number | null) => {
      lease.dueMs = dueMs;
      return store.begin(account, { member, dueMs: dueMs ?? 0, id: lease.clusterId });
    };
    const lastMs = due.lastDueMs();
    let begun = lastMs === null ? 'finished' : await begin(lastMs);
    const isNew = (record: TargetRecord) => record.target.account === account && isUnpolled(record);
    if (begun === 'finished' && published.all().some(isNew)) begun = await begin(null);
    if (begun === 'finished' || begun === 'other') return begun;
    lease.begun = begun;
    const { takenFrom: from } = begun;
    if (from !== '' && from !== member) {
      this.takenOver += 1;
      logger.warn('cycle taken over: its daemon is silent', { account, from });
    }
    return begun;
  }
}

/** @returns whether it was passed on. If not, no daemon has known the account for a day. */
async function requeueUnknown(job: Job<CycleData, void>, token: string): Promise<boolean> {
  const nowMs = Date.now();
  const { account, unknownSinceMs = nowMs } = job.data;
  const sinceMs = nowMs - unknownSinceMs;
  if (sinceMs > requeue.endMs) return false;
  if (sinceMs === 0) await job.updateData({ account, unknownSinceMs });
  const delayMs = Math.min(Math.max(requeue.minDelayMs, sinceMs / 50), requeue.maxDelayMs);
  await job.moveToDelayed(nowMs + delayMs, token);
  return true;
}
