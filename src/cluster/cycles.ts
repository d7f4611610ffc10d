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
import { KeyedQueue } from '../model/async.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import type { AccountTurn } from '../poll/poller.ts';
import type { DueTimes } from './due-times.ts';
import { clusterKeys } from './keys.ts';
import type { RedisHealth } from './redis-health.ts';
import type { BegunCycle, RedisStore } from './redis-store.ts';
import type { SharedRecords } from './shared-records.ts';
import { Turn } from './turn.ts';

export interface CyclesOptions {
  readonly redis: Redis;
  readonly store: RedisStore;
  readonly records: SharedRecords;
  readonly published: PublishedRecords;
  readonly due: DueTimes;
  readonly health: RedisHealth;
  /** The turns of this daemon, by account. */
  readonly turns: Map<string, Turn>;
  readonly cluster: string;
  /** Of this daemon. */
  readonly member: string;
  readonly lockMs: number;
  /** Polls an account. Ends early when its turn ends. */
  readonly runCycle: (
    account: string,
    turn: AccountTurn,
    how: { readonly missed: number; readonly onlyNew: boolean },
  ) => Promise<void>;
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
/** Daemons that do not know an account pass its job on: at first often, then more and more rarely, and at last no more. */
const passOn = { minDelayMs: 100, maxDelayMs: 10_000, endMs: 24 * 60 * 60 * 1_000 };

const jobIdOf = (account: string): string => `cycle@${account}`;

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

export class Cycles {
  readonly #options: CyclesOptions;
  readonly #queue: Queue<CycleData, void>;
  readonly #worker: TimedWorker;
  /** A job can come back to a daemon that was suspended: then it waits for the end of the turn before. */
  readonly #byAccount = new KeyedQueue();
  /** The epoch of the last cycle in which this daemon may have sent requests, by account. */
  readonly #sentEpochs = new Map<string, number>();
  #isStopping = false;
  #takenOver = 0;

  constructor(options: CyclesOptions) {
    this.#options = options;
    const { lockMs, logger, redis, turns } = options;
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
        const turn = turns.get(id.slice(jobIdOf('').length));
        if (lost.includes(id)) turn?.end();
        else turn?.confirmed(askedAtMs);
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
  async add(accounts: readonly string[]): Promise<void> {
    await this.#queue.addBulk(
      accounts.map((account) => ({
        name: 'cycle',
        data: { account },
        opts: { jobId: jobIdOf(account), delay: this.#options.due.jitterMs() },
      })),
    );
  }

  /** Runs delayed jobs now: each finds out what there is to do. Jobs that run stay as they are. Never rejects. */
  async wake(accounts: Iterable<string>): Promise<void> {
    for (const account of accounts) {
      const job = await this.#queue.getJob(jobIdOf(account)).catch(() => undefined);
      await job?.promote().catch(() => undefined);
    }
  }

  /** Hands the running cycles back, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = this.#worker.close();
    for (const turn of this.#options.turns.values()) turn.end();
    await closed;
    await this.#queue.close();
  }

  async #process(job: CycleJob, token: string): Promise<void> {
    const { logger, records } = this.#options;
    const { account, passedOnSinceMs } = job.data;
    try {
      if (records.watches(account)) {
        if (passedOnSinceMs !== undefined) await job.updateData({ account });
        const delayMs = await this.#byAccount.run(account, () => this.#turn(account, token));
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
  async #turn(account: string, token: string): Promise<number | null> {
    const { health, lockMs, logger, turns } = this.#options;
    const turn = new Turn(lockMs);
    turns.set(account, turn);
    try {
      await this.#asked(this.#worker.extendJobLocks([jobIdOf(account)], [token], lockMs));
      if (this.#isStopping) turn.end();
      turn.beforeSend();
      return await this.#runCycle(account, turn);
    } catch (error) {
      if (turn.signal.aborted) return null;
      // An outage has one line for all accounts.
      if (health.problem === null)
        logger.error('a cycle failed', { account, reason: messageOf(error) });
      return failedDelayMs;
    } finally {
      // Other polls of the account may be in flight. They must not send once another daemon has begun.
      turn.end();
      turns.delete(account);
      await this.#giveUp(account, turn);
    }
  }

  async #runCycle(account: string, turn: Turn): Promise<number | null> {
    const { due, records, runCycle, store } = this.#options;
    const begun = await this.#asked(this.#begin(account, turn));
    if (begun === 'finished') return due.untilNextMs();
    if (begun === 'other') {
      await records.refresh();
      return passOn.minDelayMs;
    }
    const missed = due.missed(begun.finishedDueMs, turn.dueMs);
    await this.#asked(records.read(account));
    await delay(begun.waitMs, undefined, { signal: turn.signal });
    // What became due meanwhile is polled now too.
    if (turn.dueMs !== null) turn.dueMs = due.last();
    this.#sentEpochs.set(account, begun.epoch);
    await runCycle(account, turn, { missed, onlyNew: turn.dueMs === null });
    // A reload has removed it meanwhile: this daemon did not poll all of its targets.
    if (turn.signal.aborted || !records.watches(account)) return null;
    const gone = records.forgetGone(account);
    await this.#asked(store.end(account, begun.epoch, turn.dueMs ?? 0, gone));
    turn.begun = null;
    return due.untilNextMs();
  }

  /** Begins the cycle that is due. If there is none, one that polls only targets without a poll. */
  async #begin(account: string, turn: Turn): Promise<BegunCycle | 'other' | 'finished'> {
    const { due, logger, member, published, records, store } = this.#options;
    const begin = async (dueMs: number | null) => {
      turn.dueMs = dueMs;
      const sentEpoch = this.#sentEpochs.get(account) ?? 0;
      return store.begin(account, { member, dueMs: dueMs ?? 0, id: records.id, sentEpoch });
    };
    const lastMs = due.last();
    let begun = lastMs === null ? 'finished' : await begin(lastMs);
    const isNew = ({ seen, target }: TargetRecord) =>
      target.account === account && seen.freshness.lastPoll === null;
    if (begun === 'finished' && published.all().some(isNew)) begun = await begin(null);
    if (begun === 'finished' || begun === 'other') return begun;
    turn.begun = begun;
    const { formerMember: from, isTakenOver } = begun;
    if (isTakenOver && from !== '' && from !== member) {
      this.#takenOver += 1;
      logger.warn('cycle taken over: its daemon is silent', { account, from });
    }
    return begun;
  }

  /** Ends a cycle that was not completed: its due time is due again. */
  async #giveUp(account: string, { begun }: Turn): Promise<void> {
    if (begun === null) return;
    // The former daemon may still send: who comes next must wait it out, as if this cycle had not been.
    if (begun.isTakenOver && this.#sentEpochs.get(account) !== begun.epoch) return;
    await this.#options.store.end(account, begun.epoch, 0).catch(() => undefined);
  }

  /** The answer of Redis, without which the cycle fails. */
  async #asked<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      this.#options.health.failed('writing', error);
      throw error;
    }
  }
}

/** @returns whether it was passed on. If not, no daemon has known the account for a day. */
async function passedOn(job: CycleJob, token: string): Promise<boolean> {
  const nowMs = Date.now();
  const { account, passedOnSinceMs = nowMs } = job.data;
  const sinceMs = nowMs - passedOnSinceMs;
  if (sinceMs > passOn.endMs) return false;
  if (sinceMs === 0) await job.updateData({ account, passedOnSinceMs });
  const delayMs = Math.min(Math.max(passOn.minDelayMs, sinceMs / 50), passOn.maxDelayMs);
  await job.moveToDelayed(nowMs + delayMs, token);
  return true;
}
