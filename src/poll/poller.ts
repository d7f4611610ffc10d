/** Runs the cycles: every target is polled, and its record advanced, kept and published. */
import { setTimeout as delay } from 'node:timers/promises';
import { advance, type Advance } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { newRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { CycleStats } from './cycle-stats.ts';
import { pollOutcome, type Poll } from './outcome.ts';
import type { PollLog } from './poll-log.ts';
import type { Schedule } from './schedule.ts';

export interface PollerOptions {
  readonly targets: readonly Target[];
  readonly schedule: Schedule;
  readonly jitterMs: number;
  /** The least time that a cycle's retries are given, however soon the next run is due. */
  readonly minDeadlineMs: number;
  readonly poll: Poll;
  /** Stores a record, and gives what may be shown. Never rejects: a store that fails ends no polling. */
  readonly keep: (advance: Advance) => Promise<Advance>;
  readonly published: PublishedRecords;
  readonly stats: CycleStats;
  readonly log: PollLog;
  readonly clock: Clock;
  readonly random: () => number;
}

export class Poller {
  readonly #options: PollerOptions;
  readonly #stopping = new AbortController();
  readonly #attempted = new Set<string>();
  #cycle: Promise<void> | null = null;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Begins the first cycle at once, and further ones as the schedule says. */
  start(): void {
    const { log, schedule, stats } = this.#options;
    schedule.start(
      () => {
        this.#begin(this.#jitter());
      },
      (runs) => {
        stats.skipped.missed += runs;
        log.cyclesMissed(runs);
      },
    );
    this.#begin(0);
  }

  /** Ends the schedule, aborts what is in flight, and resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#options.schedule.stop();
    this.#stopping.abort();
    await this.#cycle;
  }

  /** Whether every target was attempted at least once since the start, and how many were. */
  readiness() {
    const targets = this.#options.targets.length;
    const attempted = this.#attempted.size;
    return { isReady: attempted === targets, attempted, targets };
  }

  /** When the next cycle is due; milliseconds since the Unix epoch, `null` when none is. */
  nextCycleMs(): number | null {
    return this.#options.schedule.nextRunMs();
  }

  /** Polls every target once, all side by side; the rate limit is the client's. */
  async runCycle(): Promise<void> {
    const { clock, stats, targets } = this.#options;
    const startedMs = clock.now();
    stats.runningSinceMs = startedMs;
    const deadlineMs = this.#deadlineMs(startedMs);
    await Promise.all(targets.map((target) => this.#pollTarget(target, deadlineMs)));
    stats.runningSinceMs = null;
    if (this.#stopping.signal.aborted) return;
    stats.lastDurationMs = Math.max(0, clock.now() - startedMs);
    stats.completed += 1;
  }

  #begin(delayMs: number): void {
    const { log, stats } = this.#options;
    if (this.#stopping.signal.aborted) return;
    if (this.#cycle !== null) {
      stats.skipped.overlap += 1;
      log.cycleSkipped();
      return;
    }
    this.#cycle = this.#runAfter(delayMs).finally(() => {
      this.#cycle = null;
    });
  }

  async #runAfter(delayMs: number): Promise<void> {
    const { signal } = this.#stopping;
    if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await this.runCycle();
  }

  #jitter(): number {
    return this.#options.jitterMs * this.#options.random();
  }

  #deadlineMs(startedMs: number): number {
    const { minDeadlineMs, schedule } = this.#options;
    return Math.max(schedule.nextRunMs() ?? 0, startedMs + minDeadlineMs);
  }

  async #pollTarget(target: Target, deadlineMs: number): Promise<void> {
    const { clock, keep, log, poll, published } = this.#options;
    const context = { signal: this.#stopping.signal, deadlineMs };
    const outcome = await pollOutcome(target, context, { poll, clock, log });
    if (outcome === null) return;

    const key = targetKey(target);
    const before = published.get(key) ?? newRecord(target);
    const { record, changes } = await keep(advance(before, outcome, clock.now()));
    published.publish(record, changes);
    this.#attempted.add(key);
    log.polled(before, record, outcome, changes);
  }
}
