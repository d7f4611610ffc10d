import type { TimelineEntry } from '../scenario/action.ts';
import { msOf } from '../scenario/schema-parts.ts';

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
const maxEntriesAtOnce = 1_000;

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

  constructor(options: TimelineOptions) {
    this.#options = options;
    this.#entries = options.entries.toSorted((a, b) => msOf(a.at) - msOf(b.at));
  }

  /** The elapsed time of the scenario, in milliseconds. */
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
      // Of too many rounds, no client has seen the first ones.
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
