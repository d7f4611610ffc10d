export interface RetryTiming {
  readonly minMs: number;
  readonly maxMs: number;
}

/** Short for a failure that passes soon, and long for one that lasts. */
const defaultTiming: RetryTiming = { minMs: 1_000, maxMs: 10_000 };

/** Repeats work, after pauses that double, until it is done. Its timer does not keep the process alive. */
export class RetryTimer {
  readonly #work: () => Promise<boolean>;
  readonly #timing: RetryTiming;
  #pauseMs: number;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | null = null;
  #isStopped = false;

  /** @param work resolves with `true` when nothing is left to do; never rejects */
  constructor(work: () => Promise<boolean>, timing: RetryTiming = defaultTiming) {
    this.#work = work;
    this.#timing = timing;
    this.#pauseMs = timing.minMs;
  }

  /** Begins with a pause. Has no effect while it retries already. */
  begin(): void {
    if (this.#timer !== undefined || this.#working !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#run();
    }, this.#pauseMs).unref();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves when the work under way has ended; no other begins. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    const isDone = await this.#work();
    this.#working = null;
    this.#pauseMs = isDone ? this.#timing.minMs : Math.min(this.#pauseMs * 2, this.#timing.maxMs);
    if (!isDone) this.begin();
  }
}
