/**
 * The cycles of accounts as jobs: every daemon adds the job of each due time, the engine keeps one of them, and
 * one daemon runs it. Its lock tells the engine that this daemon lives. If the lock expires, the engine gives the
 * job to another daemon.
 */
import { DelayedError, Queue, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import { enginePrefix } from './keys.ts';
import { systemTimers } from './timers.ts';
import { takeTurn, type CycleStore, type RunningCycle } from './turn.ts';

export interface CyclesOptions {
  /** A delay of a job begins at its time. */
  readonly clock: Clock;
  readonly redis: Redis;
  readonly store: CycleStore;
  readonly cluster: string;
  /** Of this daemon. */
  readonly member: string;
  readonly lockMs: number;
  /** Whether the present configuration of this daemon has the account. */
  readonly knows: (account: string) => boolean;
  /** Runs a cycle. Ends early when its turn ends. */
  readonly run: (cycle: RunningCycle) => Promise<void>;
  readonly logger: Logger;
}

/** A cycle of an account that is to run. */
export interface DueCycle {
  readonly account: string;
  /** `null` for a cycle that polls only targets without a poll. */
  readonly dueMs: number | null;
  readonly delayMs: number;
}

interface CycleData {
  readonly account: string;
  readonly dueMs: number | null;
}

type CycleJob = Job<CycleData, void>;

const queueName = 'cycles';
/** How often a daemon looks for cycles of daemons that are gone. */
const stalledIntervalMs = 1_000;
/** Time before a cycle that failed because of a mistake of this program runs again. */
const failedDelayMs = 1_000;

export class Cycles {
  readonly #options: CyclesOptions;
  readonly #queue: Queue<CycleData, void>;
  readonly #worker: Worker<CycleData, void>;
  /** The running cycles of this daemon, by account. */
  readonly #running = new Map<string, AbortController>();
  /** The last cycle of each account on this daemon. A next one waits for its end. */
  readonly #last = new Map<string, Promise<unknown>>();
  #isStopping = false;
  #takenOver = 0;

  constructor(options: CyclesOptions) {
    this.#options = options;
    const { lockMs, logger, redis } = options;
    const common = { connection: redis, prefix: enginePrefix(options.cluster) };
    // The engine has no other place for its warnings about Redis.
    // oxlint-disable-next-line no-console
    console.warn = (text: string) => {
      logger.debug('the job engine warns', () => ({ text }));
    };
    this.#queue = new Queue(queueName, common);
    this.#worker = new Worker(queueName, (job, token = '') => this.#process(job, token), {
      ...common,
      autorun: false,
      lockDuration: lockMs,
      // The lock is renewed here, because its time must be known on the clock of this daemon.
      skipLockRenewal: true,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // After an error of Redis.
      runRetryDelay: stalledIntervalMs,
      // Redis knows which due time was finished. A cycle that was not complete can be added again.
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    const report = (error: Error) => {
      logger.debug('the job engine reports', () => ({ reason: messageOf(error) }));
    };
    this.#queue.on('error', report);
    this.#worker.on('error', report);
  }

  /** How many cycles this daemon took over from another one that had not ended them. */
  get takenOver(): number {
    return this.#takenOver;
  }

  /** The signal of the running cycle of an account; `null` when it does not run here. */
  turnOf(account: string): AbortSignal | null {
    return this.#running.get(account)?.signal ?? null;
  }

  /** Ends the cycle of an account, which another daemon runs now. */
  fenced(account: string): void {
    this.#running.get(account)?.abort();
  }

  /** Begins to take jobs. */
  start(): void {
    void this.#worker.run().catch((error: unknown) => {
      this.#options.logger.error('the job engine ended', { reason: messageOf(error) });
    });
  }

  /** How many cycles may run here side by side. */
  setConcurrency(cycles: number): void {
    this.#worker.concurrency = Math.max(1, cycles);
  }

  /**
   * Adds the jobs of cycles that are due. Jobs that exist stay as they are.
   *
   * @returns the accounts that had another job, which was kept instead
   */
  async add(cycles: readonly DueCycle[]): Promise<readonly string[]> {
    const timestamp = this.#options.clock.now();
    const wanted = cycles.map(({ account, delayMs, dueMs }) => ({
      name: 'cycle',
      data: { account, dueMs },
      opts: {
        // A colon would separate parts of the key.
        jobId: `${account}@${dueMs ?? `new-${randomUUID()}`}`,
        deduplication: { id: account },
        timestamp,
        delay: delayMs,
      },
    }));
    const jobs = await this.#queue.addBulk(wanted);
    return wanted
      .filter(({ opts }, i) => jobs[i]?.id !== opts.jobId)
      .map(({ data }) => data.account);
  }

  /** Hands the running cycles back, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = this.#worker.close();
    for (const each of this.#running.values()) each.abort();
    await closed;
    await this.#queue.close();
  }

  async #process(job: CycleJob, token: string): Promise<void> {
    const { account } = job.data;
    const before = this.#last.get(account) ?? Promise.resolve();
    const ended = before.then(() => this.#runJob(job, token));
    const settled = ended.catch(() => undefined);
    this.#last.set(account, settled);
    void settled.then(() => {
      if (this.#last.get(account) === settled) this.#last.delete(account);
    });
    await ended;
  }

  async #runJob(job: CycleJob, token: string): Promise<void> {
    const { knows, lockMs, logger, member, run, store } = this.#options;
    const { account, dueMs } = job.data;
    // The daemons that have the account add the cycle again with their next heartbeat.
    if (!knows(account)) return;
    const turn = new AbortController();
    if (this.#isStopping) turn.abort();
    this.#running.set(account, turn);
    const extendLock = async () => (await job.extendLock(token, lockMs)) === 1;
    const onTakenOver = (_: string, from: string) => {
      this.#takenOver += 1;
      logger.warn('cycle taken over: its daemon is silent', { account, from });
    };
    const runKnown = async (cycle: RunningCycle) => {
      await run(cycle);
      // A reload has removed it meanwhile: this daemon did not poll all of its targets.
      if (!knows(account)) turn.abort();
    };
    const options = { store, member, lockMs, timers: systemTimers, onTakenOver, run: runKnown };
    try {
      if (await takeTurn({ account, dueMs, extendLock }, turn, options)) return;
    } catch (error) {
      logger.error('a cycle failed', { account, reason: messageOf(error) });
      await job.moveToDelayed(Date.now() + failedDelayMs, token);
      throw new DelayedError();
    } finally {
      this.#running.delete(account);
    }
    await job.moveToWait(token);
    throw new WaitingError();
  }
}
