import { setTimeout as delay } from 'node:timers/promises';

export interface RoundsOptions {
  /** Visits one key. Never rejects. */
  readonly visit: (key: string) => Promise<void>;
  /** The keys of the next round. */
  readonly keys: () => readonly string[];
  readonly periodMs: number;
}

/**
 * Visits every key once in each period. The visits are spread evenly over the period, so that they never
 * come as a burst. Its timer does not keep the process alive.
 */
export class Rounds {
  readonly #options: RoundsOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run().catch(() => undefined);
  }

  /** Resolves when the visit under way has ended; no other begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<never> {
    const { keys, periodMs, visit } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      const round = keys();
      const pauseMs = periodMs / Math.max(1, round.length);
      if (round.length === 0) await delay(pauseMs, undefined, { ref: false, signal });
      for (const key of round) {
        await delay(pauseMs, undefined, { ref: false, signal });
        await visit(key);
      }
    }
  }
}
