/** Runs the cycles: every target is polled, and its record advanced, kept and published. */
import { setTimeout as delay } from 'node:timers/promises';
import type { TargetRecord } from '../model/record.ts';
import { AccountCycles } from './account-cycles.ts';
import { CycleCounts } from './cycle-counts.ts';
import type { CycleStats } from './cycle-stats.ts';
import { deadlineMs, type PollPlan } from './poll-plan.ts';
import type { TargetPollTools } from './poll-target.ts';
import { Polls } from './polls.ts';
import type { SharedCycles } from './shared-cycles.ts';
import { WatchList, type Watched } from './watch-list.ts';

export interface PollerOptions extends PollPlan, TargetPollTools {
  readonly stats: CycleStats;
  /** Absent: this daemon runs every cycle. */
  readonly shared?: SharedCycles | undefined;
  /** Called with the record of each poll. May update the plan. Must not reject. */
  readonly onPolled: (record: TargetRecord) => Promise<void>;
  readonly random: () => number;
}

export class Poller {
  readonly #options: PollerOptions;
  readonly #list: WatchList;
  readonly #polls: Polls;
  readonly #counts: CycleCounts;
  readonly #accountCycles: AccountCycles;
  #isRunning = false;
  #isStopped = false;
  /** Ends the waits for jitter. */
  readonly #stopping = new AbortController();
  #cycle: Promise<void> | null = null;

  constructor(options: PollerOptions) {
    this.#options = options;
    const { clock, log, shared, stats } = options;
    this.#list = new WatchList(options, { ...options, isShared: shared !== undefined });
    this.#polls = new Polls(this.#list, {
      ...options,
      turnOf: (account) => this.#accountCycles.turnOf(account),
    });
    this.#counts = new CycleCounts(stats, log, clock);
    this.#accountCycles = new AccountCycles({
      list: this.#list,
      polls: this.#polls,
      counts: this.#counts,
      clock,
    });
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
    const { schedule } = this.#list.plan;
    const hasNewSchedule = plan.schedule !== schedule;
    if (hasNewSchedule) schedule.stop();
    const { ended, toPoll } = this.#list.replace(plan);
    if (!this.#isRunning) return;
    if (hasNewSchedule) this.#startSchedule();
    this.#pollNow(toPoll);
    for (const { ending } of ended) ending.abort();
  }

  /** Ends the schedule, aborts polls in flight, and resolves when nothing runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#list.plan.schedule.stop();
    this.#stopping.abort();
    await Promise.all([this.#polls.stop(), this.#cycle]);
  }

  /**
   * Whether every target was attempted at least once since the start, and how many were. Targets that a
   * reload adds later do not change it.
   */
  readiness() {
    return this.#list.readiness();
  }

  /** Time of the next cycle, in milliseconds since the Unix epoch. `null` when none is due. */
  nextCycleMs(): number | null {
    return this.#list.plan.schedule.nextRunMs();
  }

  /** Polls every target once, all in parallel. The client keeps the rate limit. */
  async runCycle(): Promise<void> {
    const startedMs = this.#options.clock.now();
    await this.#polls.all(this.#list.due(), deadlineMs(this.#list.plan, startedMs));
    if (!this.#isStopped) this.#counts.ended(startedMs);
  }

  /** Runs the cycle of one account. */
  runAccountCycle(...cycle: Parameters<AccountCycles['run']>): Promise<void> {
    return this.#accountCycles.run(...cycle);
  }

  #startSchedule(): void {
    const { shared } = this.#options;
    this.#list.plan.schedule.start(
      () => {
        if (shared === undefined) void this.#beginAfterJitter();
        else this.#begin();
      },
      (runs) => {
        // What one of several daemons misses, another one runs.
        if (shared === undefined) this.#counts.missed(runs);
      },
    );
  }

  async #beginAfterJitter(): Promise<void> {
    const { signal } = this.#stopping;
    const delayMs = this.#list.plan.jitterMs * this.#options.random();
    if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => undefined);
    this.#begin();
  }

  /**
   * Begins a cycle. While the previous cycle runs, polls only the targets that it has finished: a host that
   * does not answer must not delay the targets of other hosts.
   */
  #begin(): void {
    const { clock, shared } = this.#options;
    if (this.#isStopped) return;
    if (shared !== undefined) {
      this.#accountCycles.extend(shared);
      shared.due();
      return;
    }
    if (this.#cycle === null) {
      this.#cycle = this.runCycle().finally(() => {
        this.#cycle = null;
      });
      return;
    }
    this.#counts.overlapped();
    const idle = this.#list.due().filter(({ polling }) => polling === null);
    void this.#polls.all(idle, deadlineMs(this.#list.plan, clock.now()));
  }

  /** Polls targets whose cycle runs here. Another daemon may run the cycles of other accounts. */
  #pollNow(targets: readonly Watched[]): void {
    const { clock, shared } = this.#options;
    if (shared === undefined) {
      for (const each of targets)
        void this.#polls.one(each, deadlineMs(this.#list.plan, clock.now()));
      return;
    }
    const elsewhere = targets.filter((each) => !this.#accountCycles.add(each));
    const accounts = new Set(elsewhere.map(({ target }) => target.account));
    if (accounts.size > 0) shared.added(accounts);
  }
}
