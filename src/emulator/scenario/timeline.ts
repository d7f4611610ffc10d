import type { TimelineEntry } from './actions.ts';

interface TimelineOptions {
  readonly entries: readonly TimelineEntry[];
  /** After this long the entries begin again; `null` for never. */
  readonly repeatsEveryMs: number | null;
  /**
   * Does what an entry says.
   *
   * @param atMs when it was due; milliseconds since the Unix epoch
   */
  readonly apply: (entry: TimelineEntry, atMs: number) => void;
}

/** Entries that are applied at once when a long time has passed; a bound on how long a request may take. */
const mostEntriesAtOnce = 1_000;

/**
 * Plays the entries of a scenario as time passes, each once per round. When more rounds are due than can
 * be played at once, only the latest ones are played. Times are milliseconds since the Unix epoch.
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
    this.#entries = options.entries.toSorted((a, b) => a.at - b.at);
    this.#repeatsEveryMs = options.repeatsEveryMs;
    this.#apply = options.apply;
  }

  get isPaused(): boolean {
    return this.#pausedAtMs !== null;
  }

  /** Milliseconds of the scenario that have passed; they stand still while it is paused. */
  elapsedMs(nowMs: number): number {
    return (this.#pausedAtMs ?? nowMs) - this.#startMs;
  }

  /** The entry that comes next, and at which time of the scenario; `null` after the last one. */
  get next(): { readonly entry: TimelineEntry; readonly atElapsedMs: number } | null {
    const repeats = this.#repeatsEveryMs !== null;
    const isRoundOver = this.#next === this.#entries.length;
    if (isRoundOver && !repeats) return null;
    const entry = this.#entries[isRoundOver ? 0 : this.#next];
    if (entry === undefined) return null;
    const round = isRoundOver ? this.#round + 1 : this.#round;
    return { entry, atElapsedMs: round * (this.#repeatsEveryMs ?? 0) + entry.at };
  }

  /** Begins again with the first entry, not paused. */
  start(nowMs: number): void {
    this.#startMs = nowMs;
    this.#next = 0;
    this.#round = 0;
    this.#pausedAtMs = null;
  }

  /** Applies what is due, and nothing further until {@link resume}. */
  pause(nowMs: number): void {
    this.applyDue(nowMs);
    this.#pausedAtMs ??= nowMs;
  }

  /** Goes on from where it was paused. */
  resume(nowMs: number): void {
    if (this.#pausedAtMs === null) return;
    this.#startMs += nowMs - this.#pausedAtMs;
    this.#pausedAtMs = null;
  }

  /**
   * Applies the next entry now, however late it is due. The scenario's time is then that entry's. Pauses
   * the timeline.
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

  /** Applies what is due, in order, each as of the time at which it was due. */
  applyDue(nowMs: number): void {
    // Applying an entry looks at the state, and looking at the state applies what is due.
    if (this.#isApplying || this.isPaused) return;
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

  /** Leaves out rounds that no client has seen, when there are too many. */
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
