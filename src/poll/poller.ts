/**
 * Runs the cycles: every target is polled, and its record advanced, kept and published. The targets that the
 * answers of another target found follow it. They need no request if these answers show that they are unchanged.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { accountsInTurn } from './accounts-in-turn.ts';
import type { CycleStats } from './cycle-stats.ts';
import { pollTarget, type TargetPollTools } from './poll-target.ts';
import type { Schedule } from './schedule.ts';

/** The poll settings of a configuration. A reload replaces them. */
export interface PollPlan {
  readonly targets: readonly Target[];
  /** Those of them that the answers of another target found, by the key of that target. */
  readonly found: ReadonlyMap<string, readonly Target[]>;
  readonly schedule: Schedule;
  readonly jitterMs: number;
  /** The least time for the retries of a cycle, also when the next run is due sooner. */
  readonly minDeadlineMs: number;
  /** The length of a step of the trends. */
  readonly trendStepMs: number;
}

/** The permission to poll the targets of an account. */
export interface AccountTurn {
  /** Aborts when the permission ends. */
  readonly signal: AbortSignal;
  /** Called right before each request. Throws when the permission has ended. */
  readonly beforeSend: () => void;
}

/** Several daemons share the cycles: each account has its own. */
export interface SharedCycles {
  /** A cycle of every account is due. */
  readonly due: () => void;
  /** These accounts have targets that were never polled. */
  readonly added: (accounts: ReadonlySet<string>) => void;
  /** The running cycle of an account also polls for the cycle that is due now. */
  readonly extended: (account: string) => void;
}

export interface PollerOptions extends PollPlan, TargetPollTools {
  readonly stats: CycleStats;
  /** Absent: this daemon runs every cycle. */
  readonly shared?: SharedCycles | undefined;
  /** Called with the record of each poll. May update the plan. Must not reject. */
  readonly onPolled: (record: TargetRecord) => Promise<void>;
  readonly random: () => number;
}

/** A watched target. A target with a changed configuration becomes a new one. */
interface Watched {
  readonly target: Target;
  /** Ends the poll in flight when the target is removed or its configuration changes. */
  readonly ending: AbortController;
  isAttempted: boolean;
  /** The poll in flight. Resolves with whether it ended. A stop or a reload can abort it. */
  polling: Promise<boolean> | null;
}

/** The cycle of one account. */
interface AccountCycle extends AccountTurn {
  /** A discovery, a reload, or a due time during the cycle adds polls. */
  readonly polls: Promise<void>[];
}

export class Poller {
  readonly #options: PollerOptions;
  #plan: PollPlan;
  #watched: ReadonlyMap<string, Watched>;
  /** The keys of the targets that other targets found. */
  #foundKeys: ReadonlySet<string>;
  /** Whether every target had been attempted at some time. */
  #wasReady = false;
  #isRunning = false;
  #isStopped = false;
  /** Ends the waits for jitter. */
  readonly #stopping = new AbortController();
  #cycle: Promise<void> | null = null;
  /** The cycles of accounts that this daemon runs, where several daemons share them. */
  readonly #accountCycles = new Map<string, AccountCycle>();
  /** The polls in flight, also those of targets that were removed. */
  readonly #polls = new Set<Promise<unknown>>();

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#plan = options;
    this.#foundKeys = keysOf(options.found);
    this.#watched = new Map(
      options.targets.map((target) => [targetKey(target), newWatched(target, false)]),
    );
  }

  /** Begins the first cycle at once. The schedule begins further cycles. */
  start(): void {
    this.#isRunning = true;
    this.#startSchedule();
    this.#begin();
  }

  /**
   * Applies another plan. It does not touch unchanged targets or a running cycle. It polls new
   * targets at once, and aborts polls of removed targets. A poll for an old selection is aborted and made
   * again.
   */
  update(plan: PollPlan): void {
    this.#noteReadiness();
    const before = this.#watched;
    const hasNewSchedule = plan.schedule !== this.#plan.schedule;
    if (hasNewSchedule) this.#plan.schedule.stop();
    this.#plan = plan;
    this.#foundKeys = keysOf(plan.found);
    this.#watched = new Map(
      plan.targets.map((target) => {
        const key = targetKey(target);
        const known = before.get(key);
        const stays = known !== undefined && isDeepStrictEqual(known.target, target);
        return [key, stays ? known : newWatched(target, known?.isAttempted ?? false)];
      }),
    );
    if (!this.#isRunning) return;
    if (hasNewSchedule) this.#startSchedule();
    const added = new Set<string>();
    for (const [key, watched] of this.#watched) {
      const known = before.get(key);
      const isCutShort = known !== undefined && known !== watched && known.polling !== null;
      const isNew = known === undefined && (!this.#isFound(key) || this.#needsPoll(watched));
      if (isNew || isCutShort) this.#pollNow(watched, added);
    }
    if (added.size > 0) this.#options.shared?.added(added);
    for (const [key, known] of before) {
      if (this.#watched.get(key) !== known) known.ending.abort();
    }
  }

  /** Ends the schedule, aborts polls in flight, and resolves when nothing runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#plan.schedule.stop();
    this.#stopping.abort();
    for (const { ending } of this.#watched.values()) ending.abort();
    await Promise.all([this.#cycle, ...this.#polls]);
  }

  /**
   * Whether every target was attempted at least once since the start, and how many were. Targets that a
   * reload adds later do not change it.
   */
  readiness() {
    this.#noteReadiness();
    const all = [...this.#watched.values()];
    const attempted = all.filter((each) => this.#wasAttempted(each)).length;
    return { isReady: this.#wasReady, attempted, targets: this.#watched.size };
  }

  /** Time of the next cycle, in milliseconds since the Unix epoch. `null` when none is due. */
  nextCycleMs(): number | null {
    return this.#plan.schedule.nextRunMs();
  }

  /** Polls every target once, all in parallel. The client keeps the rate limit. */
  async runCycle(): Promise<void> {
    const startedMs = this.#options.clock.now();
    await this.#pollAll(this.#due(), this.#deadlineMs(startedMs));
    if (!this.#isStopped) this.#cycleEnded(startedMs);
  }

  /**
   * Polls the targets of an account once. Ends early when its turn ends.
   *
   * @param onlyNew leaves out the targets that were polled before
   * @param missed how many cycles of the account did not run before this one
   */
  async runAccountCycle(
    account: string,
    turn: AccountTurn,
    { missed, onlyNew }: { readonly missed: number; readonly onlyNew: boolean },
  ): Promise<void> {
    const startedMs = this.#options.clock.now();
    if (missed > 0) this.#cyclesMissed(missed);
    const due = this.#dueOf(account).filter((each) => !onlyNew || !this.#wasAttempted(each));
    const cycle: AccountCycle = { ...turn, polls: [] };
    this.#accountCycles.set(account, cycle);
    cycle.polls.push(this.#pollAll(due, this.#deadlineMs(startedMs)));
    for (const polls of cycle.polls) await polls;
    this.#accountCycles.delete(account);
    if (!turn.signal.aborted && !onlyNew) this.#cycleEnded(startedMs);
  }

  #startSchedule(): void {
    const { shared } = this.#options;
    this.#plan.schedule.start(
      () => {
        if (shared === undefined) void this.#beginAfterJitter();
        else this.#begin();
      },
      (runs) => {
        // What one of several daemons misses, another one runs.
        if (shared === undefined) this.#cyclesMissed(runs);
      },
    );
  }

  #cyclesMissed(runs: number): void {
    const { log, stats } = this.#options;
    stats.skipped.missed += runs;
    log.cyclesMissed(runs);
  }

  async #beginAfterJitter(): Promise<void> {
    const { signal } = this.#stopping;
    const delayMs = this.#plan.jitterMs * this.#options.random();
    if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => undefined);
    this.#begin();
  }

  /**
   * Begins a cycle. While the previous cycle runs, polls only the targets that it has finished: a host that
   * does not answer must not delay the targets of other hosts.
   */
  #begin(): void {
    const { clock, log, shared, stats } = this.#options;
    if (this.#isStopped) return;
    if (shared !== undefined) {
      this.#extendCycles(shared);
      shared.due();
      return;
    }
    if (this.#cycle === null) {
      this.#cycle = this.runCycle().finally(() => {
        this.#cycle = null;
      });
      return;
    }
    stats.skipped.overlap += 1;
    log.cycleSkipped();
    const idle = this.#due().filter(({ polling }) => polling === null);
    void this.#pollAll(idle, this.#deadlineMs(clock.now()));
  }

  /** A cycle that is due while the one before runs: the daemon that runs this one polls what it has finished. */
  #extendCycles(shared: SharedCycles): void {
    const { clock, log, stats } = this.#options;
    for (const [account, cycle] of this.#accountCycles) {
      stats.skipped.overlap += 1;
      log.cycleSkipped();
      shared.extended(account);
      const idle = this.#dueOf(account).filter(({ polling }) => polling === null);
      cycle.polls.push(this.#pollAll(idle, this.#deadlineMs(clock.now())));
    }
  }

  /** Polls a target of an account whose cycle runs here. Another daemon may run the cycles of other accounts. */
  #pollNow(watched: Watched, added: Set<string>): void {
    const { account } = watched.target;
    const deadlineMs = this.#deadlineMs(this.#options.clock.now());
    const cycle = this.#accountCycles.get(account);
    if (this.#options.shared === undefined) void this.#poll(watched, deadlineMs);
    else if (cycle === undefined) added.add(account);
    else cycle.polls.push(this.#poll(watched, deadlineMs));
  }

  #cycleEnded(startedMs: number): void {
    const { clock, stats } = this.#options;
    stats.lastDurationMs = Math.max(0, clock.now() - startedMs);
    stats.completed += 1;
  }

  #deadlineMs(startedMs: number): number {
    const { minDeadlineMs, schedule } = this.#plan;
    return Math.max(schedule.nextRunMs() ?? 0, startedMs + minDeadlineMs);
  }

  #noteReadiness(): void {
    this.#wasReady ||= [...this.#watched.values()].every((each) => this.#wasAttempted(each));
  }

  /** Whether this daemon attempted it, or another one that shares the cycles. */
  #wasAttempted({ isAttempted, target }: Watched): boolean {
    if (isAttempted || this.#options.shared === undefined) return isAttempted;
    return (this.#options.published.get(targetKey(target))?.freshness.lastPoll ?? null) !== null;
  }

  /** The targets of a cycle. Those that another target finds follow it. */
  #due(): readonly Watched[] {
    return [...this.#watched]
      .filter(
        ([key, each]) =>
          !this.#isFound(key) && (!this.#wasAttempted(each) || this.#needsPoll(each)),
      )
      .map(([, each]) => each);
  }

  #dueOf(account: string): readonly Watched[] {
    return this.#due().filter(({ target }) => target.account === account);
  }

  /** Polls targets, and joins those of their polls that are in flight. */
  async #pollAll(targets: readonly Watched[], deadlineMs: number): Promise<void> {
    const inTurn = accountsInTurn(targets, ({ target }) => target.account);
    await Promise.all(inTurn.map((each) => this.#poll(each, deadlineMs)));
  }

  /** Polls a target, then those that its answers found. */
  async #poll(watched: Watched, deadlineMs: number): Promise<void> {
    const hasEnded = await this.#pollOne(watched, deadlineMs);
    const key = targetKey(watched.target);
    const found = this.#plan.found.get(key) ?? [];
    const record = this.#options.published.get(key);
    if (!hasEnded || record === undefined) return;
    await Promise.all(found.map((target) => this.#follow(target, record, deadlineMs)));
  }

  /**
   * Polls a target after the poll that finds it, if necessary. If not, and this poll succeeded, the snapshot of
   * the target is as fresh as that poll.
   */
  async #follow(target: Target, finder: TargetRecord, deadlineMs: number): Promise<void> {
    const watched = this.#watched.get(targetKey(target));
    if (watched === undefined || this.#isStopped) return;
    if (watched.polling !== null || this.#needsPoll(watched)) {
      await this.#pollOne(watched, deadlineMs);
      return;
    }
    const { failure, lastSuccessAtMs } = finder.freshness;
    if (failure === null) {
      await this.#options.keep(target, (before) => ({
        record: { ...before, freshness: { ...before.freshness, lastSuccessAtMs } },
        changes: [],
      }));
    }
    watched.isAttempted = true;
  }

  #isFound(key: string): boolean {
    return this.#foundKeys.has(key);
  }

  #needsPoll({ target }: Watched): boolean {
    const { clock, collectors, published } = this.#options;
    const record = published.get(targetKey(target));
    return record === undefined || collectors.of(target).needsPoll(record, clock.now());
  }

  /** Joins the poll in flight, if there is one. */
  #pollOne(watched: Watched, deadlineMs: number): Promise<boolean> {
    if (watched.polling !== null) return watched.polling;
    const polling = this.#pollTarget(watched, deadlineMs).finally(() => {
      watched.polling = null;
      this.#polls.delete(polling);
    });
    watched.polling = polling;
    this.#polls.add(polling);
    return polling;
  }

  async #pollTarget(watched: Watched, deadlineMs: number): Promise<boolean> {
    const { ending, target } = watched;
    const turn = this.#accountCycles.get(target.account);
    const isGone = () => this.#watched.get(targetKey(target)) !== watched;
    const { trendStepMs } = this.#plan;
    const signal = turn ? AbortSignal.any([ending.signal, turn.signal]) : ending.signal;
    const beforeSend = turn?.beforeSend;
    const context = { signal, beforeSend, deadlineMs, isGone, trendStepMs };
    const record = await pollTarget(target, context, this.#options);
    if (record === null) return false;
    await this.#options.onPolled(record);
    watched.isAttempted = true;
    return true;
  }
}

function keysOf(found: PollPlan['found']): ReadonlySet<string> {
  return new Set([...found.values()].flatMap((targets) => targets.map(targetKey)));
}

function newWatched(target: Target, isAttempted: boolean): Watched {
  return { target, isAttempted, ending: new AbortController(), polling: null };
}
