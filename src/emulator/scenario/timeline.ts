import type { TimelineEntry } from './actions.ts';

interface TimelineOptions {
  readonly entries: readonly TimelineEntry[];
  /** After this long the entries begin again; `null` for never. */
  readonly repeatsEveryMs: number | null;
  readonly apply: (entry: TimelineEntry, atMs: number) => void;
}

/** Plays the entries of a scenario, each once per round, as time passes. */
export class Timeline {
  readonly #entries: readonly TimelineEntry[];
  readonly #repeatsEveryMs: number | null;
  readonly #apply: (entry: TimelineEntry, atMs: number) => void;
  #startMs = 0;
  #next = 0;
  #round = 0;

  constructor(options: TimelineOptions) {
    this.#entries = options.entries.toSorted((a, b) => a.at - b.at);
    this.#repeatsEveryMs = options.repeatsEveryMs;
    this.#apply = options.apply;
  }

  /** When the scenario began; milliseconds since the Unix epoch. */
  get startMs(): number {
    return this.#startMs;
  }

  /** Begins anew. */
  start(nowMs: number): void {
    this.#startMs = nowMs;
    this.#next = 0;
    this.#round = 0;
  }

  /** Lets what comes next come `ms` milliseconds earlier. */
  skip(ms: number): void {
    this.#startMs -= ms;
  }

  /** Applies what has become due, in order, each as of the time it was due at. */
  applyDue(nowMs: number): void {
    for (;;) {
      const entry = this.#entries[this.#next];
      if (entry === undefined) {
        if (this.#repeatsEveryMs === null || this.#entries.length === 0) return;
        this.#next = 0;
        this.#round += 1;
        continue;
      }
      const dueMs = this.#startMs + this.#round * (this.#repeatsEveryMs ?? 0) + entry.at;
      if (dueMs > nowMs) return;
      this.#next += 1;
      this.#apply(entry, dueMs);
    }
  }
}
