/** Holds requests back to the rate that the service allows (service.md, section 8). */

const windowMs = 1000;
/** Timers and clocks may be a few milliseconds apart. */
const marginMs = 5;
/** How much later than others a request may arrive at the service, where no answer tells. */
const transitMs = 250;

/** The right to send one request. Ends with `cancel` when it was not used, else with `finished`. */
export interface Token {
  /** The request is being written to the connection. */
  readonly sent: () => void;
  /** The answer has arrived, or never will. */
  readonly finished: () => void;
  /** Nothing was sent. */
  readonly cancel: () => void;
}

/** Belongs to one token: an answer later than the turn's end must not end the turn of another. */
interface Slot {
  /** On the monotonic clock; infinite while a request holds the slot and is not yet sent. */
  freeAtMs: number;
}

/**
 * Lets at most `requestsPerSecond` requests arrive at the service in any sliding second.
 *
 * A window that opens when a request is allowed is not enough: the first requests of a cycle wait
 * for their connections and arrive together with those of the next second. So a request's second
 * begins at its answer, which proves that it has arrived, and at the latest 250 ms after it was
 * sent, so that a slow service does not slow the polling. Runs on the monotonic clock, since a wall
 * clock that is set back would stall it.
 */
export class RateLimit {
  readonly #slots: Slot[];
  /** In the order of their coming. */
  readonly #waiting = new Set<(token: Token) => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(requestsPerSecond: number) {
    this.#slots = Array.from({ length: requestsPerSecond }, () => ({ freeAtMs: 0 }));
  }

  /** Waits for a turn, first come first served. Rejects when `signal` aborts, and leaves the queue. */
  acquire(signal: AbortSignal): Promise<Token> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const start = (token: Token) => {
        signal.removeEventListener('abort', leave);
        resolve(token);
      };
      const leave = () => {
        this.#waiting.delete(start);
        if (this.#waiting.size === 0) clearTimeout(this.#timer);
        reject(new Error('aborted'));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(start);
      this.#serve();
    });
  }

  #serve(): void {
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    for (const start of this.#waiting) {
      const free = this.#slots.findIndex((slot) => slot.freeAtMs <= nowMs);
      if (free === -1) break;
      this.#waiting.delete(start);
      const taken = { freeAtMs: Infinity };
      this.#slots[free] = taken;
      start(this.#tokenFor(taken));
    }
    if (this.#waiting.size === 0) return;
    const nextMs = Math.min(...this.#slots.map((slot) => slot.freeAtMs));
    if (nextMs === Infinity) return;
    this.#timer = setTimeout(
      () => {
        this.#serve();
      },
      Math.max(1, Math.ceil(nextMs - nowMs)),
    );
  }

  #tokenFor(slot: Slot): Token {
    const freeAfter = (delayMs: number) => {
      slot.freeAtMs = Math.min(slot.freeAtMs, performance.now() + delayMs);
      if (this.#waiting.size > 0) this.#serve();
    };
    return {
      sent: () => {
        freeAfter(windowMs + transitMs);
      },
      finished: () => {
        freeAfter(windowMs + marginMs);
      },
      cancel: () => {
        freeAfter(0);
      },
    };
  }
}
