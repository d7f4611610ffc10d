/**
 * The cycles of accounts as jobs. Each account has one job for ever: the daemon that gets it runs the cycle, and then
 * delays the job until the next due time. The engine locks it, renews the lock, and gives it to another daemon when
 * the lock expires. A job scheduler of the engine would add the job of the next due time while a long cycle runs, so
 * that two daemons poll one account.
 */
import { Queue, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { messageOf } from '../model/errors.ts';
import { KeyedQueue } from '../model/keyed-queue.ts';
import type { AccountTurn } from '../poll/poller.ts';
import { clusterKeys } from './keys.ts';
import type { BegunCycle, RedisStore } from './redis-store.ts';
import { Turn } from './turn.ts';

/** A cycle that this daemon has begun. */
export interface RunningCycle extends AccountTurn {
  readonly account: string;
  /** `null` for a cycle that polls only targets without a poll. */
  readonly dueMs: number | null;
  readonly begun: BegunCycle;
}

export interface CyclesOptions {
  readonly redis: Redis;
  readonly store: Pick<RedisStore, 'begin' | 'sends' | 'end'>;
  readonly cluster: string;
  /** Of this daemon. */
  readonly member: string;
  readonly lockMs: number;
  /** Whether the present configuration of this daemon has the account. */
  readonly knows: (account: string) => boolean;
  /** The ID of the cluster in Redis that this daemon knows. */
  readonly clusterId: () => string;
  /** Redis has another ID. Resolves when that one is known. */
  readonly onOtherId: () => Promise<void>;
  /** The latest due time; `null` before the first one. */
  readonly lastDueMs: () => number | null;
  /** The time until the next due time. */
  readonly untilNextMs: () => number;
  /** Whether the account has targets without a poll. */
  readonly hasNew: (account: string) => boolean;
  /** Redis did not take the beginning or the end of a cycle. */
  readonly onFailed: (error: unknown) => void;
  /** Runs a cycle. Ends early when its turn ends. */
  readonly run: (cycle: RunningCycle) => Promise<void>;
  readonly logger: Logger;
}

interface CycleData {
  readonly account: string;
  /** Since when daemons pass it on that do not know the account, in milliseconds since the Unix epoch. */
  readonly passedOnSinceMs?: number;
}

type CycleJob = Job<CycleData, void>;

const queueName = 'cycles';
/** How often a daemon looks for cycles of daemons that are gone. */
const stalledIntervalMs = 1_000;
/** Time before a cycle that could not begin, or failed because of a mistake of this program, is tried again. */
const failedDelayMs = 1_000;
/** No daemon waits longer for the next due time: a schedule may change. */
const maxDelayMs = 60 * 60 * 1_000;
/** Daemons that do not know an account pass its job on: at first often, then rarely, and at last no more. */
const passOn = { delayMs: 100, oftenMs: 10_000, rareDelayMs: 10_000, endMs: 24 * 60 * 60 * 1_000 };

/** A request counts for a second from its arrival. It arrives at most 250 ms late, and clocks run at other speeds. */
const quietMs = 1_250 * 1.06;

/** How long a daemon waits before its first request, so that those of the former daemon count no longer. */
function handOverMs({ forgottenMs, idleMs, isNext }: BegunCycle): number {
  return forgottenMs + (isNext ? 0 : Math.max(0, quietMs - idleMs));
}

/** Says of each renewal when it was asked for: the lock lasts from then on at the least. */
class TimedWorker extends Worker<CycleData, void> {
  renewed: (jobIds: readonly string[], lost: readonly string[], askedAtMs: number) => void = () =>
    undefined;

  override async extendJobLocks(jobIds: string[], tokens: string[], lockMs: number) {
    const askedAtMs = performance.now();
    const lost = await super.extendJobLocks(jobIds, tokens, lockMs);
    this.renewed(jobIds, lost, askedAtMs);
    return lost;
  }
}

const jobIdOf = (account: string): string => `cycle@${account}`;

export class Cycles {
  readonly #options: CyclesOptions;
  readonly #queue: Queue<CycleData, void>;
  readonly #worker: TimedWorker;
  /** The turns of this daemon, by job. */
  readonly #turns = new Map<string, Turn>();
  /** A job can come back to a daemon that was suspended: then it waits for the end of the turn before. */
  readonly #byAccount = new KeyedQueue();
  #isStopping = false;
  #takenOver = 0;

  constructor(options: CyclesOptions) {
    this.#options = options;
    const { lockMs, logger, redis } = options;
    const common = { connection: redis, prefix: clusterKeys(options.cluster).engine };
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
      lockDuration: lockMs,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      // After an error of Redis.
      runRetryDelay: stalledIntervalMs,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.renewed = (jobIds, lost, askedAtMs) => {
      for (const id of jobIds) {
        if (lost.includes(id)) this.#turns.get(id)?.end();
        else this.#turns.get(id)?.confirmed(askedAtMs);
      }
    };
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
    return this.#turns.get(jobIdOf(account))?.signal ?? null;
  }

  /** Ends the cycle of an account, which another daemon runs now. */
  fenced(account: string): void {
    this.#turns.get(jobIdOf(account))?.end();
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

  /** Adds the jobs of accounts. Those that exist stay as they are. */
  async add(accounts: readonly string[], delayMs: () => number): Promise<void> {
    await this.#queue.addBulk(
      accounts.map((account) => ({
        name: 'cycle',
        data: { account },
        opts: { jobId: jobIdOf(account), delay: delayMs() },
      })),
    );
  }

  /** Runs delayed jobs now: each finds out what there is to do. Jobs that run stay as they are. */
  async wake(accounts: readonly string[]): Promise<void> {
    for (const account of accounts) {
      const job = await this.#queue.getJob(jobIdOf(account));
      await job?.promote().catch(() => undefined);
    }
  }

  /** Hands the running cycles back, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = this.#worker.close();
    for (const turn of this.#turns.values()) turn.end();
    await closed;
    await this.#queue.close();
  }

  async #process(job: CycleJob, token: string): Promise<void> {
    const { knows, logger } = this.#options;
    const { account, passedOnSinceMs } = job.data;
    try {
      if (knows(account)) {
        if (passedOnSinceMs !== undefined) await job.updateData({ account });
        const delayMs = await this.#byAccount.run(account, () => this.#turn(job, token));
        if (delayMs === null) await job.moveToWait(token);
        else await job.moveToDelayed(Date.now() + Math.min(delayMs, maxDelayMs), token);
      } else if (!(await passedOn(job, token))) {
        return;
      }
    } catch (error) {
      // The lock has passed on. If not, it expires, and the engine gives the job to a daemon.
      logger.debug('a job was not handed back', () => ({ account, reason: messageOf(error) }));
    }
    throw new WaitingError();
  }

  /** @returns the time until the job is due again; `null` when another daemon must run it at once */
  async #turn(job: CycleJob, token: string): Promise<number | null> {
    const { lockMs, logger, onFailed, store } = this.#options;
    const { account } = job.data;
    const id = jobIdOf(account);
    const turn = new Turn(lockMs);
    this.#turns.set(id, turn);
    try {
      try {
        await this.#worker.extendJobLocks([id], [token], lockMs);
      } catch (error) {
        onFailed(error);
        return failedDelayMs;
      }
      if (this.#isStopping || !turn.isHeld()) turn.end();
      return turn.signal.aborted ? null : await this.#runCycle(account, turn);
    } catch (error) {
      if (turn.signal.aborted) return null;
      logger.error('a cycle failed', { account, reason: messageOf(error) });
      return failedDelayMs;
    } finally {
      // Other polls of the account may be in flight. They must not send once another daemon has begun.
      turn.end();
      this.#turns.delete(id);
      await store.end(account, false).catch(() => undefined);
    }
  }

  async #runCycle(account: string, turn: Turn): Promise<number | null> {
    const { knows, lastDueMs, member, onFailed, onOtherId, run, store, untilNextMs } =
      this.#options;
    const { signal } = turn;
    let dueMs = lastDueMs();
    let begun: Awaited<ReturnType<RedisStore['begin']>> = 'finished';
    try {
      if (dueMs !== null) begun = await this.#begin(account, dueMs);
      if (begun === 'finished' && this.#options.hasNew(account)) {
        dueMs = null;
        begun = await this.#begin(account, 0);
      }
    } catch (error) {
      onFailed(error);
      return failedDelayMs;
    }
    if (begun === 'finished') return untilNextMs();
    if (begun === 'other') {
      await onOtherId();
      return passOn.delayMs;
    }
    const { formerMember, isTakenOver } = begun;
    if (isTakenOver && formerMember !== '' && formerMember !== member) {
      this.#takenOver += 1;
      const message = 'cycle taken over: its daemon is silent';
      this.#options.logger.warn(message, { account, from: formerMember });
    }
    await delay(handOverMs(begun), undefined, { signal });
    store.sends(account);
    const beforeSend = () => {
      if (!turn.isHeld()) turn.end();
      signal.throwIfAborted();
    };
    await run({ account, dueMs, begun, signal, beforeSend });
    // A reload has removed it meanwhile: this daemon did not poll all of its targets.
    if (signal.aborted || !knows(account)) return null;
    try {
      await store.end(account, dueMs !== null);
    } catch (error) {
      onFailed(error);
      return failedDelayMs;
    }
    return untilNextMs();
  }

  #begin(account: string, dueMs: number) {
    const { clusterId, member, store } = this.#options;
    return store.begin(account, { member, dueMs, id: clusterId() });
  }
}

/** @returns whether it was passed on. If not, no daemon has known the account for long. */
async function passedOn(job: CycleJob, token: string): Promise<boolean> {
  const nowMs = Date.now();
  const { account, passedOnSinceMs = nowMs } = job.data;
  const sinceMs = nowMs - passedOnSinceMs;
  if (sinceMs > passOn.endMs) return false;
  if (sinceMs === 0) await job.updateData({ account, passedOnSinceMs });
  const delayMs = sinceMs < passOn.oftenMs ? passOn.delayMs : passOn.rareDelayMs;
  await job.moveToDelayed(nowMs + delayMs, token);
  return true;
}
