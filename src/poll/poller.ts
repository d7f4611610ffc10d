/**
 * Runs the cycles of accounts: polls every target that is due, as the schedule, a cluster or a reload asks for. The daemon
 * creates the poller.
 * 1. A cycle of an account begins with one round. `runCycle` lets it run until its last round has ended.
 * 2. A round visits the targets of the account in waves (`cycle.ts`), and then dates its launches (`launch-dates.ts`).
 * 3. A visit polls the target if it is due, joins a poll of it in flight, or refreshes its record from its list.
 * 4. A poll that has ended marks its target as attempted, and the plan follows its answer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createPacer } from '../model/async.ts';
import { neverPolled } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { dateLaunches } from './launch-dates.ts';
import type { AccountLease, PollerOptions, PollPlan } from './poller-contracts.ts';
import { CycleStats, visitInWaves } from './cycle.ts';

/** A poll in flight, by the key of its target. */
interface Polling {
  readonly target: Target;
  readonly ending: AbortController;
  /** Resolves when the poll has ended, and the plan follows its answer. */
  readonly ended: Promise<void>;
}

/**
 * The running cycle of an account. It ends with its last round: a reload adds one for new targets, and a due time during
 * the cycle one for the targets that the cycle has finished.
 */
interface Cycle {
  readonly lease: AccountLease | null;
  readonly rounds: Promise<void>[];
  /** Whether another cycle was due while it ran. */
  isOverlapped: boolean;
}

/** One visit of the targets of an account, in waves. */
interface Round {
  readonly lease: AccountLease | null;
  /** Whether the round polls only targets without an ended poll, or without one since a reload changed them. */
  readonly onlyNew: boolean;
  /** After it, no poll of the round begins another attempt. */
  readonly deadlineMs: number;
}

/**
 * Owns the cycles and the polls in flight. The schedule begins cycles by itself, or the cluster does so by `runCycle`. No
 * target has two polls at a time.
 */
export class Poller {
  readonly #options: PollerOptions;
  readonly #cycles = new Map<string, Cycle>();
  readonly #polling = new Map<string, Polling>();
  /** When thousands of polls are due at once, the first ones are answered before the last ones begin. */
  readonly #pace = createPacer();
  /**
   * By the key of a target. `attempted`: since the start, it was polled here, or its list has shown that it is unchanged.
   * `changed`: a reload has changed it since, so its record is of another selection. Absent: neither, so it is new, but
   * for a target that another daemon of the cluster has polled.
   */
  readonly #states = new Map<string, 'attempted' | 'changed'>();
  readonly #stats = new Map<string, CycleStats>();
  readonly #stopping = new AbortController();
  #wasReady = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Begins the first cycles at once, and further ones when the timer says that they are due. */
  start(): void {
    const { plan, timer, isShared } = this.#options;
    timer.start((missed) => {
      // What one of several daemons misses, another one runs.
      const skipping = missed > 0 && !isShared ? plan.current.accounts : [];
      for (const account of skipping) this.#statsOf(account).countSkipped('missed', missed);
      void this.#beginCyclesAfterJitter();
    });
    this.#beginCycles();
  }

  /** Aborts polls, and begins no others. The timer must be stopped. */
  stop(): void {
    this.#stopping.abort();
    for (const { ending } of this.#polling.values()) ending.abort();
  }

  /**
   * Follows the plan of another configuration: the targets that it added or changed are polled at once, the polls of
   * those that it changed or removed are aborted, and the others are not touched. In a cluster, the cycles that run here do
   * so for their accounts, and the cluster begins cycles for the other accounts.
   *
   * @param before the plan that the current one replaced
   */
  reloaded(before: PollPlan): void {
    const { accounts, get, targetsOf } = this.#options.plan.current;
    // A target that has not changed is the same object in both plans.
    this.#forget((key) => get(key) !== before.get(key));
    for (const target of accounts.flatMap(targetsOf)) {
      const last = before.get(targetKey(target));
      if (last !== undefined && last !== target) this.#states.set(targetKey(target), 'changed');
    }
    if (this.#stopping.signal.aborted) return;
    for (const account of accounts) if (this.hasNew(account)) this.#addRound(account, true);
  }

  /** Whether an account has a target that was never polled, or not since a reload changed it. */
  hasNew(account: string): boolean {
    const { current } = this.#options.plan;
    return current.targetsOf(account).some((target) => !this.#wasAttempted(target));
  }

  /**
   * Whether every target was attempted at least once since the start, or in a cluster by any daemon, and how many were.
   * Targets that a reload adds later do not change it.
   */
  readiness() {
    const { accounts, targetsOf } = this.#options.plan.current;
    const targets = accounts.flatMap((account) => targetsOf(account));
    const attempted = targets.filter((target) => this.#wasAttempted(target)).length;
    this.#wasReady ||= attempted === targets.length;
    return { isReady: this.#wasReady, attempted, targets: targets.length };
  }

  /** The statistics of the cycles of each account, since the start. */
  stats(): ReadonlyMap<string, CycleStats> {
    return new Map(this.#options.plan.current.accounts.map((name) => [name, this.#statsOf(name)]));
  }

  /**
   * Runs the cycle of an account, which has no other one running. Ends early when its lease ends.
   *
   * @param lease `null` if no other daemon polls the account
   * @param missed how many cycles of the account did not run before this one
   * @param onlyNew polls only targets that were never polled, or not since a reload changed them
   */
  async runCycle(
    account: string,
    lease: AccountLease | null,
    { missed, onlyNew }: { readonly missed: number; readonly onlyNew: boolean },
  ): Promise<void> {
    const { clock } = this.#options;
    const stats = this.#statsOf(account);
    if (missed > 0) stats.countSkipped('missed', missed);
    const startedMs = clock.now();
    stats.lastStartedAtMs = startedMs;
    const cycle: Cycle = { lease, rounds: [], isOverlapped: false };
    this.#cycles.set(account, cycle);
    const abort = () => {
      for (const { ending, target } of this.#polling.values()) {
        if (target.account === account) ending.abort(lease?.signal.reason);
      }
    };
    lease?.signal.addEventListener('abort', abort);
    try {
      this.#addRound(account, onlyNew);
      // With the rounds that are added meanwhile.
      for (const round of cycle.rounds) await round;
    } finally {
      this.#cycles.delete(account);
      lease?.signal.removeEventListener('abort', abort);
    }
    if (onlyNew || lease?.signal.aborted === true || this.#stopping.signal.aborted) return;
    stats.countCompleted(Math.max(0, clock.now() - startedMs), !cycle.isOverlapped);
    if (stats.completed === 1) this.#logFirstCycle(account);
  }

  /** Logs how many targets answered, so that one line tells an operator whether the daemon works. */
  #logFirstCycle(account: string): void {
    const { collectors, logger, plan, published } = this.#options;
    const asked = plan.current
      .targetsOf(account)
      .filter((target) => !collectors.of(target).asksNothing(target));
    const answered = asked.filter(
      (target) => published.get(targetKey(target))?.observed.freshness.failure === null,
    );
    logger.info('first cycle ended', { account, targets: asked.length, answered: answered.length });
  }

  /** In a cluster without a delay: the cluster delays cycles itself. */
  async #beginCyclesAfterJitter(): Promise<void> {
    const { random, settings, isShared } = this.#options;
    const delayMs = !isShared ? settings().jitterMs * random() : 0;
    const { signal } = this.#stopping;
    if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => undefined);
    this.#beginCycles();
  }

  /**
   * Begins the cycle of every account; in a cluster, only extends those that run here. While the cycle before runs, only the
   * targets that it has finished are polled: a host that does not answer delays no other.
   */
  #beginCycles(): void {
    const { plan, isShared } = this.#options;
    if (this.#stopping.signal.aborted) return;
    for (const account of plan.current.accounts) {
      const running = this.#cycles.get(account);
      if (running !== undefined) {
        running.isOverlapped = true;
        this.#statsOf(account).countSkipped('overlap', 1);
        this.#addRound(account, false);
        running.lease?.onOverlap();
      } else if (!isShared) {
        void this.runCycle(account, null, { missed: 0, onlyNew: false });
      }
    }
  }

  /**
   * Adds a round to the running cycle of an account. Without one, the round runs by itself; in a cluster, it does not run.
   */
  #addRound(account: string, onlyNew: boolean): void {
    const { clock, collectors, plan, timer, settings, isShared } = this.#options;
    const cycle = this.#cycles.get(account);
    if (cycle === undefined && isShared) return;
    // The retries of a cycle end when the next one is due.
    const leastMs = clock.now() + settings().minDeadlineMs;
    const deadlineMs = Math.max(timer.nextRunMs() ?? 0, leastMs);
    const round = { lease: cycle?.lease ?? null, onlyNew, deadlineMs };
    const ended = visitInWaves({
      collectors,
      targets: () => plan.current.targetsOf(account),
      visit: (target) => this.#pollIfDue(target, round),
      afterRegion: async (region) => {
        if (this.#stopping.signal.aborted || round.lease?.signal.aborted === true) return;
        await dateLaunches(account, region, this.#options);
      },
    });
    cycle?.rounds.push(ended);
  }

  /** Polls a target if it is due. Waits for a poll of it in flight instead, and then polls only if that was aborted. */
  async #pollIfDue(visited: Target, { lease, onlyNew, deadlineMs }: Round): Promise<void> {
    const { plan, pollTarget } = this.#options;
    const key = targetKey(visited);
    const isOver = () => this.#stopping.signal.aborted || lease?.signal.aborted === true;
    await this.#pace();
    let joined = this.#polling.get(key);
    while (joined !== undefined) {
      await joined.ended;
      if (!joined.ending.signal.aborted) return;
      joined = this.#polling.get(key);
    }
    // A reload may have removed or changed the target meanwhile.
    const target = plan.current.get(key);
    if (target === undefined || isOver() || (onlyNew && this.#wasAttempted(target))) return;
    if (!this.#isDue(target)) return this.#refreshFromList(target);
    const ending = new AbortController();
    const context = { signal: ending.signal, deadlineMs, beforeSend: lease?.beforeSend };
    const ended = pollTarget(target, context).then((update) => {
      this.#polling.delete(key);
      // Aborted, and nothing is stored. It never rejects.
      if (update === null) return;
      // Aborted: a reload changed the target while its record was stored.
      if (!ending.signal.aborted) this.#states.set(key, 'attempted');
      if (plan.follow(update)) this.#forget((gone) => plan.current.get(gone) === undefined);
    });
    this.#polling.set(key, { target, ending, ended });
    await ended;
  }

  /**
   * Whether this daemon polled the target since its start, or any daemon of a cluster ever did. Not if a reload has changed
   * it since.
   */
  #wasAttempted(target: Target): boolean {
    const { published, isShared } = this.#options;
    const key = targetKey(target);
    const state = this.#states.get(key);
    if (state !== undefined) return state === 'attempted';
    return isShared && (published.get(key)?.observed.freshness.lastPoll ?? null) !== null;
  }

  /** Whether the target needs a request. One of a kind that no answer finds is polled at least once after each start. */
  #isDue(target: Target): boolean {
    const { clock, collectors, published } = this.#options;
    const collector = collectors.of(target);
    const record = published.get(targetKey(target));
    if (record === undefined) return true;
    const isFirst = collector.follows.length === 0 && !this.#wasAttempted(target);
    return isFirst || collector.needsPoll(record, clock.now());
  }

  /**
   * Makes the snapshot of a target as fresh as the list that found it: the list shows that the target is unchanged, so it
   * needs no request.
   */
  async #refreshFromList(target: Target): Promise<void> {
    const { collectors, published, update } = this.#options;
    const { account, region } = target;
    for (const operation of collectors.of(target).follows) {
      const list = published.get(targetKey({ account, region, operation }));
      const { failure, lastSuccessAtMs } = list?.observed.freshness ?? neverPolled;
      if (failure !== null || lastSuccessAtMs === null) continue;
      await update(target, (before) => {
        const freshness = { ...before.observed.freshness, lastSuccessAtMs };
        return { record: { ...before, observed: { ...before.observed, freshness } }, changes: [] };
      });
    }
    this.#states.set(targetKey(target), 'attempted');
  }

  /**
   * Forgets that some targets were polled, and aborts their polls in flight. `changed` stays: without it, a cluster would
   * count a record of the old selection as an attempt.
   */
  #forget(isForgotten: (key: string) => boolean): void {
    for (const [key, state] of this.#states) {
      if (state === 'attempted' && isForgotten(key)) this.#states.delete(key);
    }
    for (const [key, { ending }] of this.#polling) if (isForgotten(key)) ending.abort();
  }

  #statsOf(account: string): CycleStats {
    const stats = this.#stats.get(account) ?? new CycleStats(account, this.#options.logger);
    this.#stats.set(account, stats);
    return stats;
  }
}
