/** Runs the cycles of accounts: every target is polled, and its record advanced, kept and published. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import type { RecordReplacement } from '../model/advance.ts';
import { createPacer } from '../model/yielding.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { neverPolled } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { CycleStats } from './cycle-stats.ts';
import type { Schedule } from '../schedule/timer.ts';
import { pollTarget, visitInWaves, type PollTools } from './waves.ts';

/** The targets of the present configuration, with those that answers found. */
export interface PollPlan {
  readonly accounts: readonly string[];
  readonly targetsOf: (account: string) => readonly Target[];
  /** The target with a key. It is the same object until the target changes. */
  readonly get: (key: string) => Target | undefined;
}

/** Several daemons share the cycles of accounts. */
export interface SharedCycles {
  /** These accounts have targets that were never polled. */
  readonly added: (accounts: ReadonlySet<string>) => void;
  /** The running cycle of an account also polls for the cycle that is due now. */
  readonly extended: (account: string) => void;
}

/** The permission to poll the targets of an account. */
export interface AccountLease {
  /** Aborts when the permission ends. */
  readonly signal: AbortSignal;
  /** Called right before each request. Throws when the permission has ended. */
  readonly beforeSend: () => void;
}

export interface PollerOptions extends PollTools {
  readonly plan: () => PollPlan;
  readonly settings: () => {
    readonly schedule: Schedule;
    readonly jitterMs: number;
    /** The least time for the retries of a cycle, also when the next run is due sooner. */
    readonly minDeadlineMs: number;
  };
  readonly published: PublishedRecords;
  /** Called with each record that a poll replaced. May add targets to the plan. */
  readonly onPolled: (replaced: RecordReplacement) => void;
  /** Absent: this daemon runs every cycle. */
  readonly shared?: SharedCycles | undefined;
  readonly random: () => number;
  readonly logger: Logger;
}

/** A poll in flight. */
interface Polling {
  readonly target: Target;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
}

/** The cycle of an account. A reload, or a due time during the cycle, adds rounds. */
interface Cycle {
  readonly lease: AccountLease | null;
  readonly rounds: Promise<void>[];
}

/** What a round visits. */
interface Round {
  readonly lease: AccountLease | null;
  /** Leaves out the targets with an ended poll. */
  readonly onlyNew: boolean;
  readonly deadlineMs: number;
}

export class Poller {
  readonly #options: PollerOptions;
  readonly #cycles = new Map<string, Cycle>();
  readonly #polling = new Map<string, Polling>();
  /** When thousands of polls are due at once, the first ones are answered before the last ones begin. */
  readonly #pace = createPacer();
  /** The keys of the targets with an ended poll since the start. */
  readonly #attempted = new Set<string>();
  readonly #stats = new Map<string, CycleStats>();
  readonly #stopping = new AbortController();
  #wasReady = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Begins the first cycles at once. The schedule begins further ones. */
  start(): void {
    this.startSchedule();
    this.#due();
  }

  /** Begins the present schedule. The one before must be stopped. */
  startSchedule(): void {
    const { plan, settings, shared } = this.#options;
    settings().schedule.start(
      () => void this.#dueAfterJitter(),
      (runs) => {
        // What one of several daemons misses, another one runs.
        if (shared !== undefined) return;
        for (const account of plan().accounts) this.#statsOf(account).skip('missed', runs);
      },
    );
  }

  /** Aborts polls, and begins no others. The schedule must be stopped. */
  stop(): void {
    this.#stopping.abort();
    for (const { ending } of this.#polling.values()) ending.abort();
  }

  /**
   * Follows another plan. Polls of targets that are gone are aborted.
   *
   * @param before the targets before a reload, by key: those that it added or changed are polled at once, and the others
   *   are not touched. `null` when answers changed the plan: the cycle that asked goes on with it
   */
  replanned(before: PollPlan['get'] | null): void {
    const { plan, shared } = this.#options;
    const { accounts, get, targetsOf } = plan();
    const isOther = (key: string, known: Target | undefined) =>
      before === null ? get(key) === undefined : get(key) !== known;
    for (const key of this.#attempted) if (isOther(key, before?.(key))) this.#attempted.delete(key);
    for (const [key, { ending, target }] of this.#polling) if (isOther(key, target)) ending.abort();
    if (before === null || this.#stopping.signal.aborted) return;
    const elsewhere = accounts.filter((account) => {
      const hasNew = targetsOf(account).some((each) => !this.#attempted.has(targetKey(each)));
      return hasNew && !this.#addRound(account, true);
    });
    if (shared !== undefined && elsewhere.length > 0) shared.added(new Set(elsewhere));
  }

  /**
   * Whether every target was attempted at least once since the start, and how many were. Targets that a
   * reload adds later do not change it.
   */
  readiness() {
    const { plan } = this.#options;
    const targets = plan().accounts.flatMap((account) => plan().targetsOf(account));
    const attempted = targets.filter((target) => this.#wasAttempted(target)).length;
    this.#wasReady ||= attempted === targets.length;
    return { isReady: this.#wasReady, attempted, targets: targets.length };
  }

  /** The cycles of each account. */
  stats(): ReadonlyMap<string, CycleStats> {
    return new Map(this.#options.plan().accounts.map((name) => [name, this.#statsOf(name)]));
  }

  /**
   * Runs the cycle of an account. Ends early when its lease ends.
   *
   * @param missed how many cycles of the account did not run before this one
   * @param onlyNew polls only targets that were never polled
   */
  async runCycle(
    account: string,
    lease: AccountLease | null,
    { missed, onlyNew }: { readonly missed: number; readonly onlyNew: boolean },
  ): Promise<void> {
    const { clock } = this.#options;
    const stats = this.#statsOf(account);
    if (missed > 0) stats.skip('missed', missed);
    const startedMs = clock.now();
    stats.lastStartedAtMs = startedMs;
    const cycle: Cycle = { lease, rounds: [] };
    this.#cycles.set(account, cycle);
    const abort = () => {
      for (const { ending, target } of this.#polling.values()) {
        if (target.account === account) ending.abort(lease?.signal.reason);
      }
    };
    lease?.signal.addEventListener('abort', abort);
    try {
      this.#addRound(account, onlyNew);
      for (const each of cycle.rounds) await each;
    } finally {
      this.#cycles.delete(account);
      lease?.signal.removeEventListener('abort', abort);
    }
    if (onlyNew || lease?.signal.aborted === true || this.#stopping.signal.aborted) return;
    stats.completedAfter(Math.max(0, clock.now() - startedMs), cycle.rounds.length === 1);
    if (stats.completed === 1) this.#logFirst(account);
  }

  /** Whoever starts the daemon sees in one line whether it works. */
  #logFirst(account: string): void {
    const { logger, plan, published } = this.#options;
    const targets = plan().targetsOf(account);
    const answered = targets.filter(
      (target) => published.get(targetKey(target))?.observed.freshness.failure === null,
    );
    const counts = { targets: targets.length, answered: answered.length };
    logger.info('first cycle ended', { account, ...counts });
  }

  async #dueAfterJitter(): Promise<void> {
    const { random, settings, shared } = this.#options;
    const delayMs = shared === undefined ? settings().jitterMs * random() : 0;
    const { signal } = this.#stopping;
    if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => undefined);
    this.#due();
  }

  /**
   * A cycle of every account is due. While the cycle before runs, only the targets that it has finished are polled: a
   * host that does not answer delays no other.
   */
  #due(): void {
    const { plan, shared } = this.#options;
    if (this.#stopping.signal.aborted) return;
    for (const account of plan().accounts) {
      if (this.#cycles.has(account)) {
        this.#statsOf(account).skip('overlap', 1);
        this.#addRound(account, false);
        shared?.extended(account);
      } else if (shared === undefined) {
        void this.runCycle(account, null, { missed: 0, onlyNew: false });
      }
    }
  }

  /** @returns whether the targets are polled: `false` when another daemon runs the cycles of the account */
  #addRound(account: string, onlyNew: boolean): boolean {
    const { clock, collectors, plan, settings, shared } = this.#options;
    const cycle = this.#cycles.get(account);
    if (cycle === undefined && shared !== undefined) return false;
    const { minDeadlineMs, schedule } = settings();
    const deadlineMs = Math.max(schedule.nextRunMs() ?? 0, clock.now() + minDeadlineMs);
    const round = { lease: cycle?.lease ?? null, onlyNew, deadlineMs };
    const ended = visitInWaves({
      collectors,
      targets: () => plan().targetsOf(account),
      visit: (target) => this.#visit(target, round),
    });
    cycle?.rounds.push(ended);
    return true;
  }

  /** Polls a target if necessary. Joins the poll in flight, if there is one. */
  async #visit(visited: Target, { lease, onlyNew, deadlineMs }: Round): Promise<void> {
    const key = targetKey(visited);
    const isOver = () => this.#stopping.signal.aborted || lease?.signal.aborted === true;
    await this.#pace();
    for (let joined; (joined = this.#polling.get(key)) !== undefined;) {
      await joined.ended;
      if (!joined.ending.signal.aborted) return;
    }
    // A reload may have removed or changed it meanwhile.
    const target = this.#options.plan().get(key);
    if (target === undefined || isOver() || (onlyNew && this.#wasAttempted(target))) return;
    if (!this.#isDue(target)) return this.#refreshFromList(target);
    const ending = new AbortController();
    const context = { signal: ending.signal, deadlineMs, beforeSend: lease?.beforeSend };
    const ended = pollTarget(target, context, this.#options).then((taken) => {
      this.#polling.delete(key);
      if (taken === null) return;
      this.#attempted.add(key);
      this.#options.onPolled(taken);
    });
    this.#polling.set(key, { target, ending, ended });
    await ended;
  }

  /** Whether this daemon attempted it, or another one that shares the cycles. */
  #wasAttempted(target: Target): boolean {
    const { published, shared } = this.#options;
    const key = targetKey(target);
    if (this.#attempted.has(key) || shared === undefined) return this.#attempted.has(key);
    return (published.get(key)?.observed.freshness.lastPoll ?? null) !== null;
  }

  /** A target that no answer found is polled at least once after each start. */
  #isDue(target: Target): boolean {
    const { clock, collectors, published } = this.#options;
    const collector = collectors.of(target);
    const record = published.get(targetKey(target));
    if (record === undefined) return true;
    const isFirst = collector.follows.length === 0 && !this.#wasAttempted(target);
    return isFirst || collector.needsPoll(record, clock.now());
  }

  /**
   * The answer that found the target shows that it is unchanged: its snapshot is as fresh as that answer. It needs no
   * request.
   */
  async #refreshFromList(target: Target): Promise<void> {
    const { collectors, update, published } = this.#options;
    const { account, region } = target;
    for (const operation of collectors.of(target).follows) {
      const finder = published.get(targetKey({ account, region, operation }));
      const { failure, lastSuccessAtMs } = finder?.observed.freshness ?? neverPolled;
      if (failure !== null || lastSuccessAtMs === null) continue;
      await update(target, (before) => {
        const freshness = { ...before.observed.freshness, lastSuccessAtMs };
        return { record: { ...before, observed: { ...before.observed, freshness } }, changes: [] };
      });
    }
    this.#attempted.add(targetKey(target));
  }

  #statsOf(account: string): CycleStats {
    const stats = this.#stats.get(account) ?? new CycleStats(account, this.#options.logger);
    this.#stats.set(account, stats);
    return stats;
  }
}
