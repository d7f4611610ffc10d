/** Limits requests to the rate that the service allows (docs/service.md, section 10). */

const windowMs = 1000;
/** Timers and clocks can differ by a few milliseconds. */
const marginMs = 5;
/**
 * Maximum additional delay of a request on its way to the service. Used while no answer proves that it has
 * arrived.
 */
const transitMs = 250;

/** The right to send one request. Call `finished` when it was answered, else `unanswered`. */
export class Token {
  /** When it was granted, on the monotonic clock. */
  readonly atMs = performance.now();
  readonly #limit: RateLimit;
  #freeAtMs = Infinity;
  #isSent = false;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** When its slot is free, on the monotonic clock; infinite while the request is not yet sent. */
  get freeAtMs(): number {
    return this.#freeAtMs;
  }

  /** The request is being written to the connection. */
  sent(): void {
    this.#isSent = true;
    this.#freeAfter(windowMs + transitMs);
  }

  /** The answer has arrived, so the request had arrived too. */
  finished(): void {
    this.#freeAfter(windowMs + marginMs);
  }

  /**
   * There will be no answer. A request that was sent may still arrive, so its slot stays used for a
   * while.
   */
  unanswered(): void {
    if (!this.#isSent) this.#freeAfter(0);
  }

  #freeAfter(delayMs: number): void {
    this.#freeAtMs = Math.min(this.#freeAtMs, performance.now() + delayMs);
    this.#limit.serve();
  }
}

/** A requirement of a request besides its turn: a connection. */
export interface Gate {
  /** Requests of one group wait for the same connection. */
  readonly group: object;
  /**
   * Called when there is a turn. `open` takes it. `closed` leaves it to the next request. Then `serve` of
   * the limit must be called when the gate may be open. `gone` leaves the queue without a turn.
   */
  readonly enter: () => 'open' | 'closed' | 'gone';
}

/** A request that waits for its turn. */
export interface QueuedRequest {
  readonly gate: Gate;
  /** Whether it goes before waiting requests. It had a turn before, and the service refused it. */
  readonly isFirst: boolean;
  /** Called once, with the turn. It may be called before `enqueue` returns. */
  readonly onTurn: (token: Token) => void;
}

/**
 * Lets at most `requestsPerSecond` requests arrive at the service in any sliding second.
 *
 * A limit at the start of a request is not enough. A request may be sent late, and arrive together with the
 * requests of the next second. So the second of a request begins at its answer, which proves that it has
 * arrived. It begins at the latest 250 ms after the request was sent, so that a slow service does not slow
 * the polls. The limit uses the monotonic clock, because a wall clock that is set back would stop it.
 *
 * A request without a ready connection has no slot. The requests behind it go first.
 *
 * While the service throttles, the present rate is lower. It is halved for every second with refused requests,
 * and rises by a tenth of the configured rate for every second with other answers.
 */
export class RateLimit {
  /** Those of requests of the last second, and of requests to be sent. Each has a slot. */
  readonly #tokens = new Set<Token>();
  /** The waiting requests, in the order in which they asked. Those of `#first` go before the others. */
  readonly #waiting = new Set<QueuedRequest>();
  readonly #first = new Set<QueuedRequest>();
  #timer: NodeJS.Timeout | undefined;
  #configured: number;
  #inForce: number;
  #pausedUntilMs = 0;
  #loweredAtMs = -Infinity;
  #raisedAtMs = -Infinity;

  constructor(requestsPerSecond: number) {
    this.#configured = requestsPerSecond;
    this.#inForce = requestsPerSecond;
  }

  /** The present rate, from 1 to the configured one. */
  get requestsPerSecond(): number {
    return this.#inForce;
  }

  /**
   * Changes the configured rate. The requests of the last second count for the new rate. Waiting requests are
   * asked again: another endpoint may open the gate of a request.
   */
  configure(requestsPerSecond: number): void {
    const isThrottled = this.#inForce < this.#configured;
    this.#configured = requestsPerSecond;
    this.#inForce = isThrottled ? Math.min(this.#inForce, requestsPerSecond) : requestsPerSecond;
    this.serve();
  }

  /** Whether no request waits, none was sent in the last second, and the rate is not lowered. */
  get isIdle(): boolean {
    this.#endTurns(performance.now());
    const isThrottled = this.#inForce < this.#configured;
    return this.#tokens.size === 0 && !this.#hasWaiting && !isThrottled;
  }

  /** Enters the queue. Requests with an open gate get a turn in the order in which they asked. */
  enqueue(request: QueuedRequest): void {
    this.#queueOf(request).add(request);
    this.serve();
  }

  /** Leaves the queue. Has no effect after the turn. */
  leave(request: QueuedRequest): void {
    // The next of its group may not have been asked yet; once for all that leave in one turn.
    if (this.#queueOf(request).delete(request)) this.#serveIn(1);
  }

  /** Holds every request back for a time. */
  pause(durationMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + durationMs);
  }

  /**
   * Called when the service refused a request because there were too many. It delays every request for a time,
   * and halves the rate. Requests that were sent before the rate was lowered do not lower it again.
   *
   * @param sentAtMs when the refused request got its turn; on the monotonic clock
   */
  throttled(sentAtMs: number, pauseMs: number): void {
    this.pause(pauseMs);
    if (sentAtMs < this.#loweredAtMs) return;
    this.lower(Math.max(1, Math.floor(this.#inForce / 2)));
  }

  /** Lowers the present rate. It may rise again to the configured one. */
  lower(requestsPerSecond: number): void {
    this.#inForce = requestsPerSecond;
    this.#loweredAtMs = performance.now();
  }

  /**
   * Called when the service answered a request, and did not refuse it because of the rate. A lowered rate may
   * rise again.
   */
  answered(): void {
    const nowMs = performance.now();
    const quietSinceMs = Math.max(this.#loweredAtMs, this.#raisedAtMs, this.#pausedUntilMs);
    if (nowMs - quietSinceMs < windowMs) return;
    const step = Math.max(1, Math.floor(this.#configured / 10));
    this.#inForce = Math.min(this.#configured, this.#inForce + step);
    this.#raisedAtMs = nowMs;
    this.serve();
  }

  /** Gives free turns to waiting requests with an open gate. */
  serve(): void {
    clearTimeout(this.#timer);
    if (!this.#hasWaiting) return;
    const nowMs = performance.now();
    this.#endTurns(nowMs);
    if (nowMs >= this.#pausedUntilMs) this.#giveTurns();
    const nextMs = Math.max(this.#pausedUntilMs, this.#nextTurnMs(nowMs));
    if (nextMs === Infinity || nextMs <= nowMs) return;
    this.#serveIn(Math.max(1, Math.ceil(nextMs - nowMs)));
  }

  /** Changes the time of the next turn. No timer is set if no request waits. */
  #serveIn(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#hasWaiting) return;
    this.#timer = setTimeout(() => {
      this.serve();
    }, delayMs);
  }

  /** When the next turn may be free; the present time when only gates are closed. */
  #nextTurnMs(nowMs: number): number {
    if (this.#tokens.size < this.#inForce) return nowMs;
    let nextMs = Infinity;
    for (const { freeAtMs } of this.#tokens) nextMs = Math.min(nextMs, freeAtMs);
    return nextMs;
  }

  #endTurns(nowMs: number): void {
    for (const token of this.#tokens) if (token.freeAtMs <= nowMs) this.#tokens.delete(token);
  }

  #queueOf({ isFirst }: QueuedRequest): Set<QueuedRequest> {
    return isFirst ? this.#first : this.#waiting;
  }

  get #hasWaiting(): boolean {
    return this.#first.size + this.#waiting.size > 0;
  }

  #giveTurns(): void {
    /**
     * The number of requests of a group that found their gate closed. It is enough to ask as many requests as
     * there are turns.
     */
    let keptOut: Map<object, number> | undefined;
    for (const queue of [this.#first, this.#waiting]) {
      for (const request of queue) {
        const turns = this.#inForce - this.#tokens.size;
        if (turns <= 0) return;
        const { gate } = request;
        const before = keptOut?.get(gate.group) ?? 0;
        if (before >= turns) continue;
        const answer = gate.enter();
        if (answer === 'closed') (keptOut ??= new Map()).set(gate.group, before + 1);
        else queue.delete(request);
        if (answer === 'open') request.onTurn(this.#takeToken());
      }
    }
  }

  #takeToken(): Token {
    const token = new Token(this);
    this.#tokens.add(token);
    return token;
  }
}
