import type { TimelineEntry } from '../scenario/action.ts';
import { msOf } from '../scenario/words.ts';

interface TimelineOptions {
  /** The present time, in milliseconds since the Unix epoch. */
  readonly now: () => number;
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
 * the latest ones are applied.
 */
export class Timeline {
  readonly #options: TimelineOptions;
  readonly #entries: readonly TimelineEntry[];
  #startMs = 0;
  /** How many entries were applied, in all rounds. */
  #applied = 0;
  #pausedAtMs: number | null = null;
  #isApplying = false;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#entries = options.entries.toSorted((a, b) => msOf(a.at) - msOf(b.at));
  }

  get isPaused(): boolean {
    return this.#pausedAtMs !== null;
  }

  /** The elapsed time of the scenario, in milliseconds. It stands still while the timeline is paused. */
  get elapsedMs(): number {
    return (this.#pausedAtMs ?? this.#options.now()) - this.#startMs;
  }

  /** The next entry, with its time in the scenario. `null` after the last one. */
  get next(): { readonly entry: TimelineEntry; readonly atElapsedMs: number } | null {
    const { repeatsEveryMs } = this.#options;
    const round = Math.floor(this.#applied / this.#entries.length);
    const entry = this.#entries[this.#applied % this.#entries.length];
    if (entry === undefined || (round > 0 && repeatsEveryMs === null)) return null;
    return { entry, atElapsedMs: round * (repeatsEveryMs ?? 0) + msOf(entry.at) };
  }

  /** Starts again with the first entry, not paused. */
  start(): void {
    this.#startMs = this.#options.now();
    this.#applied = 0;
    this.#pausedAtMs = null;
  }

  /** Applies the due entries. No further entry is applied until {@link resume}. */
  pause(): void {
    this.applyDue();
    this.#pausedAtMs ??= this.#options.now();
  }

  /** Continues after a pause. */
  resume(): void {
    if (this.#pausedAtMs === null) return;
    this.#startMs += this.#options.now() - this.#pausedAtMs;
    this.#pausedAtMs = null;
  }

  /**
   * Applies the next entry now, before it is due. The time of the scenario becomes the time of this entry.
   * The timeline is then paused.
   *
   * @returns `false` after the last entry
   */
  step(): boolean {
    this.pause();
    const { next } = this;
    if (next === null) return false;
    const nowMs = this.#options.now();
    this.#startMs = nowMs - next.atElapsedMs;
    this.#pausedAtMs = nowMs;
    this.#run(next.entry, nowMs);
    return true;
  }

  /** Applies the due entries in order. Each one gets the time at which it was due. */
  applyDue(): void {
    // Applying an entry reads the state, and reading the state applies due entries.
    if (this.#entries.length === 0 || this.#isApplying || this.isPaused) return;
    this.#skipRounds();
    const { elapsedMs } = this;
    for (let { next } = this; next !== null && next.atElapsedMs <= elapsedMs; { next } = this) {
      this.#run(next.entry, this.#startMs + next.atElapsedMs);
    }
  }

  /** Skips rounds that no client has seen, if there are too many. */
  #skipRounds(): void {
    const { repeatsEveryMs } = this.#options;
    if (repeatsEveryMs === null) return;
    const { length } = this.#entries;
    const mostRounds = Math.max(2, Math.floor(mostEntriesAtOnce / length));
    const firstRound = Math.floor(this.elapsedMs / repeatsEveryMs) - mostRounds + 1;
    this.#applied = Math.max(this.#applied, firstRound * length);
  }

  #run(entry: TimelineEntry, atMs: number): void {
    this.#applied += 1;
    this.#isApplying = true;
    try {
      this.#options.apply(entry, atMs);
    } finally {
      this.#isApplying = false;
    }
  }
}
