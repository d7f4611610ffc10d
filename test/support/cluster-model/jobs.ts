/** The job of an account in the engine: one at a time, with a lock that expires by the clock of the server. */
export class ModelJobs {
  readonly #lockMs: number;
  readonly #nowMs: () => number;
  #job: { readonly dueMs: number; owner: string | null; lockedUntilMs: number } | null = null;

  constructor(lockMs: number, nowMs: () => number) {
    this.#lockMs = lockMs;
    this.#nowMs = nowMs;
  }

  add(dueMs: number): void {
    this.#job ??= { dueMs, owner: null, lockedUntilMs: 0 };
  }

  /** The due time of the job that `owner` has now; `null` when there is none, or another one has its lock. */
  take(owner: string): number | null {
    const job = this.#job;
    if (job === null || (job.owner !== null && job.lockedUntilMs > this.#nowMs())) return null;
    job.owner = owner;
    job.lockedUntilMs = this.#nowMs() + this.#lockMs;
    return job.dueMs;
  }

  extendLock(owner: string): boolean {
    const job = this.#job;
    if (job?.owner !== owner || job.lockedUntilMs <= this.#nowMs()) return false;
    job.lockedUntilMs = this.#nowMs() + this.#lockMs;
    return true;
  }

  complete(owner: string): void {
    if (this.#job?.owner === owner) this.#job = null;
  }

  handBack(owner: string): void {
    if (this.#job?.owner === owner) this.#job.owner = null;
  }
}
