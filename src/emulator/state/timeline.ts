/** Applies the actions of a scenario when they are due: for the service, and once for the check of a scenario. */
import type { TimelineEntry } from '../scenario/action.ts';
import { msOf } from '../../validation/duration.ts';

interface TimelineOptions {
  /** Returns the current time, in milliseconds since the Unix epoch. */
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

/** The most entries of a repeating timeline that one call applies. It bounds the duration of a request. */
const maxEntriesAtOnce = 1_000;

/**
 * The position in a timeline. Each entry is applied once per round. There is no timer: whoever needs the state calls
 * {@link applyDue} first. If a repeating timeline has more rounds due than one call applies, the oldest ones are
 * skipped.
 */
export class Timeline {
  readonly #options: TimelineOptions;
  readonly #entries: readonly TimelineEntry[];
  #startMs = 0;
  /** How many entries were applied or skipped, in all rounds. */
  #applied = 0;

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#entries = options.entries.toSorted((a, b) => msOf(a.at) - msOf(b.at));
  }

  /** The time since {@link start}, in milliseconds; since the Unix epoch when it was never started. */
  get elapsedMs(): number {
    return this.#options.now() - this.#startMs;
  }

  /** Starts again with the first entry. */
  start(): void {
    this.#startMs = this.#options.now();
    this.#applied = 0;
  }

  /** Applies the due entries in order. Each one gets the time at which it was due. */
  applyDue(): void {
    const { length } = this.#entries;
    const { apply, repeatsEveryMs } = this.#options;
    const { elapsedMs } = this;
    if (repeatsEveryMs !== null && length > 0) {
      // The oldest rounds are skipped: their state lasted between two requests, so no client saw it.
      const mostRounds = Math.max(2, Math.floor(maxEntriesAtOnce / length));
      const firstRound = Math.floor(elapsedMs / repeatsEveryMs) - mostRounds + 1;
      this.#applied = Math.max(this.#applied, firstRound * length);
    }
    for (;;) {
      const round = Math.floor(this.#applied / length);
      const entry = this.#entries[this.#applied % length];
      if (entry === undefined || (round > 0 && repeatsEveryMs === null)) return;
      const atElapsedMs = round * (repeatsEveryMs ?? 0) + msOf(entry.at);
      if (atElapsedMs > elapsedMs) return;
      this.#applied += 1;
      apply(entry, this.#startMs + atElapsedMs);
    }
  }
}
