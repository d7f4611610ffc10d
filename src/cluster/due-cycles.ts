/** Which cycles of accounts are due: adds them, and tells which wait or were missed. */
import type { Config } from '../config/config.ts';
import { cronRuns } from '../config/cron-runs.ts';
import { forLast } from '../model/for-last.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { lastRun, type Runs } from '../model/runs.ts';
import { maxMissed } from '../poll/schedule.ts';
import type { DueCycle } from './cycles.ts';
import type { RedisClock } from './redis-clock.ts';
import type { RedisHealth } from './redis-health.ts';
import type { AccountState } from './redis-store.ts';

export interface DueCyclesOptions {
  /** The present configuration. */
  readonly current: () => Config;
  readonly published: PublishedRecords;
  readonly clock: RedisClock;
  readonly random: () => number;
  readonly lockMs: number;
  readonly health: RedisHealth;
  /** What Redis last said about each account. */
  readonly accounts: () => ReadonlyMap<
    string,
    Pick<AccountState, 'begunAtMs' | 'dueMs' | 'isRunning'>
  >;
  readonly canAdd: () => boolean;
  /** Adds cycles. Resolves with the accounts that had another one, which was kept instead. */
  readonly add: (cycles: readonly DueCycle[]) => Promise<readonly string[]>;
}

/** A cycle that runs for this many locks may have lost its job. The engine refuses a second one if not. */
const lostAfterLocks = 2;

export class DueCycles {
  readonly #options: DueCyclesOptions;
  readonly #runsOf = forLast(cronRuns);
  /** Accounts with targets without a poll. */
  readonly #added = new Set<string>();

  constructor(options: DueCyclesOptions) {
    this.#options = options;
  }

  /**
   * Adds cycles for targets without a poll. A cycle that runs now may not know them: then the next call adds
   * them again.
   */
  async addNew(accounts: ReadonlySet<string> = new Set()): Promise<void> {
    for (const account of accounts) this.#added.add(account);
    const waiting = new Set(
      this.#options.published
        .all()
        .filter(({ seen }) => seen.freshness.lastPoll === null)
        .map(({ target }) => target.account),
    );
    const wanted = [...this.#added].filter((account) => waiting.has(account));
    this.#added.clear();
    const kept = await this.#add(wanted.map((account) => ({ account, dueMs: null, delayMs: 0 })));
    for (const account of kept) this.#added.add(account);
  }

  /** Adds the cycles that are due and have not begun, or may have lost their job. */
  async addDue(): Promise<void> {
    const dueMs = this.lastMs();
    if (dueMs === null) return;
    const { accounts, clock, current, health, lockMs, random } = this.#options;
    const { jitterMs } = current().poll;
    const lostBeforeMs = clock.now() - lostAfterLocks * lockMs;
    const due = [...accounts()].filter(
      ([, { begunAtMs, dueMs: begunDueMs, isRunning }]) =>
        begunDueMs < dueMs || (isRunning && begunAtMs < lostBeforeMs),
    );
    // Another daemon added what this one could not add.
    if (due.length === 0) health.worked('adding cycles');
    await this.#add(due.map(([account]) => ({ account, dueMs, delayMs: jitterMs * random() })));
  }

  /** The latest due time of the schedule. `null` before Redis has told its time, too. */
  lastMs(): number | null {
    const { clock } = this.#options;
    return clock.isKnown ? lastRun(this.#runs(), clock.now()) : null;
  }

  /** How many runs of the schedule are between two due times; 0 when one of them is unknown. */
  missedBetween(finishedDueMs: number | null, dueMs: number | null): number {
    if (finishedDueMs === null || dueMs === null) return 0;
    return this.#runs().between(finishedDueMs, dueMs - 1, maxMissed);
  }

  /** Since when a cycle is due that no daemon has begun; `null` when there is none. */
  waitingSinceMs(begunDueMs: number): number | null {
    const { clock, current } = this.#options;
    const untilMs = clock.now() - current().poll.jitterMs;
    const runs = this.#runs();
    const sinceMs = begunDueMs === 0 ? lastRun(runs, untilMs) : runs.next(begunDueMs);
    return sinceMs === null || sinceMs > untilMs ? null : sinceMs;
  }

  /** @returns the accounts whose cycles were not added */
  async #add(cycles: readonly DueCycle[]): Promise<readonly string[]> {
    const { add, canAdd, health } = this.#options;
    const accounts = cycles.map(({ account }) => account);
    if (cycles.length === 0 || !canAdd()) return accounts;
    try {
      const kept = await add(cycles);
      health.worked('adding cycles');
      return kept;
    } catch (error) {
      health.failed('adding cycles', error);
      return accounts;
    }
  }

  #runs(): Runs {
    return this.#runsOf(this.#options.current().poll);
  }
}
