/** Time that passes by events, for a model of several processes. Only the model decides in which order they come. */

/** A process that can be suspended for any time, or killed. Its clock drifts. */
export interface Process {
  resumesAtMs: number;
  isKilled: boolean;
}

/** All clocks show this time at first. */
export const startMs = 1_000_000;

/** Longer than the longest chain of promises between two events. */
const turnsOfPromises = 20;

interface Event {
  atMs: number;
  readonly number: number;
  readonly process: Process | null;
  readonly call: () => void;
}

export class Simulation {
  nowMs = startMs;
  #events: Event[] = [];
  #count = 0;

  /** @param process does nothing while it is suspended; `null` for what is outside of every process */
  schedule(process: Process | null, delayMs: number, call: () => void): () => void {
    this.#count += 1;
    const atMs = this.nowMs + Math.max(0, delayMs);
    const event = { atMs, number: this.#count, process, call };
    this.#add(event);
    return () => {
      const i = this.#events.indexOf(event);
      if (i >= 0) this.#events.splice(i, 1);
    };
  }

  async runUntil(endMs: number): Promise<void> {
    for (;;) {
      const [event] = this.#events;
      if (event === undefined || event.atMs > endMs) break;
      this.#events.shift();
      const { process } = event;
      if (process?.isKilled === true) continue;
      if (process !== null && process.resumesAtMs > event.atMs) {
        // The same object, so that it can still be cancelled.
        event.atMs = process.resumesAtMs;
        this.#add(event);
        continue;
      }
      this.nowMs = Math.max(this.nowMs, event.atMs);
      event.call();
      // Every promise that the call has settled takes effect before the next event.
      for (let i = 0; i < turnsOfPromises; i += 1) await Promise.resolve();
    }
    this.nowMs = endMs;
  }

  #add(event: Event): void {
    let i = this.#events.length;
    while (i > 0 && isBefore(event, this.#events[i - 1])) i -= 1;
    this.#events.splice(i, 0, event);
  }
}

function isBefore(a: Event, b: Event | undefined): boolean {
  return b !== undefined && (a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number));
}
