import type { TimelineEntry } from '../scenario/action.ts';
import { msOf } from '../scenario/words.ts';

interface TimelineOptions {
  readonly entries: readonly TimelineEntry[];
  /** The time after which the entries start again. `null` for never. */
  readonly repeatsEveryMs: number | null;
  /**
   * Applies an entry.
   *
   * @param atMs due time of the entry, in milliseconds since the Unix epoch
   */
  readonly apply: (entry: TimelineEntry, atMs: number) => void;
}

/** Maximum number of entries that are applied at once. It bounds the duration of a request. */
const mostEntriesAtOnce = 1_000;

/**
 * Applies the entries of a scenario over time, each once per round. If too many rounds are due at once, only
 * the latest ones are applied. Times are in milliseconds since the Unix epoch.
 */
export class Timeline {
  readonly #entries: readonly TimelineEntry[];
  readonly #repeatsEveryMs: number | null;
  readonly #apply: (entry: TimelineEntry, atMs: number) => void;
  #startMs = 0;
  #next = 0;
  #round = 0;
  #pausedAtMs: number | null = null;
  #isApplying = false;

  constructor(options: TimelineOptions) {
    this.#entries = options.entries.toSorted((a, b) => msOf(a.at) - msOf(b.at));
    this.#repeatsEveryMs = options.repeatsEveryMs;
    this.#apply = options.apply;
  }

  get isPaused(): boolean {
    return this.#pausedAtMs !== null;
  }

  /** The elapsed time of the scenario, in milliseconds. It stands still while the timeline is paused. */
  elapsedMs(nowMs: number): number {
    return (this.#pausedAtMs ?? nowMs) - this.#startMs;
  }

  /** The next entry, with its time in the scenario. `null` after the last one. */
  get next(): { readonly entry: TimelineEntry; readonly atElapsedMs: number } | null {
    const repeats = this.#repeatsEveryMs !== null;
    const isRoundOver = this.#next === this.#entries.length;
    if (isRoundOver && !repeats) return null;
    const entry = this.#entries[isRoundOver ? 0 : this.#next];
    if (entry === undefined) return null;
    const round = isRoundOver ? this.#round + 1 : this.#round;
    return { entry, atElapsedMs: round * (this.#repeatsEveryMs ?? 0) + msOf(entry.at) };
  }

  /** Starts again with the first entry, not paused. */
  start(nowMs: number): void {
    this.#startMs = nowMs;
    this.#next = 0;
    this.#round = 0;
    this.#pausedAtMs = null;
  }

  /** Applies the due entries. No further entry is applied until {@link resume}. */
  pause(nowMs: number): void {
    this.applyDue(nowMs);
    this.#pausedAtMs ??= nowMs;
  }

  /** Continues after a pause. */
  resume(nowMs: number): void {
    if (this.#pausedAtMs === null) return;
    this.#startMs += nowMs - this.#pausedAtMs;
    this.#pausedAtMs = null;
  }

  /**
   * Applies the next entry now, before it is due. The time of the scenario becomes the time of this entry.
   * The timeline is then paused.
   *
   * @returns the entry; `null` after the last one
   */
  step(nowMs: number): TimelineEntry | null {
    this.pause(nowMs);
    const { next } = this;
    if (next === null) return null;
    this.#startMs = nowMs - next.atElapsedMs;
    this.#pausedAtMs = nowMs;
    this.#takeNext();
    this.#run(next.entry, nowMs);
    return next.entry;
  }

  /** Applies the due entries in order. Each one gets the time at which it was due. */
  applyDue(nowMs: number): void {
    // Applying an entry reads the state, and reading the state applies due entries.
    if (this.#entries.length === 0 || this.#isApplying || this.isPaused) return;
    this.#skipRounds(nowMs);
    for (;;) {
      const { next } = this;
      if (next === null) return;
      const dueMs = this.#startMs + next.atElapsedMs;
      if (dueMs > nowMs) return;
      this.#takeNext();
      this.#run(next.entry, dueMs);
    }
  }

  /** Skips rounds that no client has seen, if there are too many. */
  #skipRounds(nowMs: number): void {
    if (this.#repeatsEveryMs === null || this.#entries.length === 0) return;
    const mostRounds = Math.max(2, Math.floor(mostEntriesAtOnce / this.#entries.length));
    const presentRound = Math.floor((nowMs - this.#startMs) / this.#repeatsEveryMs);
    const firstRound = presentRound - mostRounds + 1;
    if (firstRound <= this.#round + 1) return;
    this.#round = firstRound;
    this.#next = 0;
  }

  #takeNext(): void {
    if (this.#next === this.#entries.length) {
      this.#next = 0;
      this.#round += 1;
    }
    this.#next += 1;
  }

  #run(entry: TimelineEntry, atMs: number): void {
    this.#isApplying = true;
    try {
      this.#apply(entry, atMs);
    } finally {
      this.#isApplying = false;
    }
  }
}
