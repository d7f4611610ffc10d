/** Calls to file systems that end in a bounded time, also if a disk or a mount hangs. */

/** What a call is for. */
export type CallKind = 'storage' | 'credentials' | 'configuration';

/** A call did not end in time. It may still end, and take effect, at any later moment. */
export class HungCallError extends Error {
  readonly code = 'ETIMEDOUT';
  /** Resolves when the call has ended after all: whether it succeeded. Never rejects. */
  readonly settled: Promise<boolean>;

  constructor(message: string, settled: Promise<boolean>) {
    super(message);
    this.name = 'HungCallError';
    this.settled = settled;
  }
}

export interface CallBounds {
  /** How long a call may take before it counts as failed. */
  readonly timeoutMs: number;
  /** How many calls may be under way, those that hang included. */
  readonly maxCalls: number;
}

/**
 * A call that hangs keeps its thread. Node has four: one stays free for what else needs one, such as
 * the lookup of a host name.
 */
const defaultBounds: CallBounds = { timeoutMs: 2_000, maxCalls: 3 };

/**
 * How many calls of a kind may be under way. Each is less than the maximum of all calls. So a kind that
 * hangs leaves a place for the other kinds. If two kinds hang, the third one may find no place and fail.
 *
 * The credentials of one account may hang, and those of the others are still read.
 */
const maxOfKind: Readonly<Record<CallKind, number>> = {
  storage: 2,
  credentials: 2,
  configuration: 1,
};

/** A call that waits for its turn, or is under way. */
interface Call {
  readonly kind: CallKind;
  readonly path: string;
  /** The position in the order of their requests. */
  readonly number: number;
  readonly begin: () => void;
  readonly giveUp: () => void;
  isHung: boolean;
}

/**
 * The calls of a process. All of them share its threads, so a process has one object, and every call that may hang
 * begins there.
 */
export class BoundedCalls {
  readonly #bounds: CallBounds;
  readonly #underWay = new Set<Call>();
  /** In the order of their requests. Thousands of accounts may read their credentials at the same time. */
  readonly #waiting: Readonly<Record<CallKind, Set<Call>>> = {
    storage: new Set(),
    credentials: new Set(),
    configuration: new Set(),
  };
  #requests = 0;

  constructor(bounds: CallBounds = defaultBounds) {
    this.#bounds = bounds;
  }

  /**
   * Calls when it is the turn of the call.
   *
   * @param path names the call in messages
   * @throws HungCallError from a call that takes too long, and at once while a call of the kind for the same
   *   path hangs, or so many calls hang that no further one may begin
   */
  run<T>(kind: CallKind, path: string, call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const turn: Call = {
        kind,
        path,
        number: (this.#requests += 1),
        begin: () => {
          const result = Promise.resolve().then(call);
          this.#endInTime(turn, result, reject);
          result.then(resolve, reject);
        },
        giveUp: () => {
          const message = `${path}: not tried, ${this.#silence()} to earlier calls`;
          reject(new HungCallError(message, Promise.resolve(false)));
        },
        isHung: false,
      };
      if (this.#isKeptOut(turn)) turn.giveUp();
      else this.#waiting[kind].add(turn);
      this.#advance();
    });
  }

  /** Leaves the place of a call to others when it ends, and fails it when it takes too long. */
  #endInTime(call: Call, result: Promise<unknown>, fail: (error: HungCallError) => void): void {
    const timer = setTimeout(() => {
      const settled = result.then(
        () => true,
        () => false,
      );
      call.isHung = true;
      fail(new HungCallError(`${call.path}: ${this.#silence()}`, settled));
      this.#giveUp();
      this.#advance();
    }, this.#bounds.timeoutMs);
    const end = () => {
      clearTimeout(timer);
      this.#underWay.delete(call);
      this.#advance();
    };
    result.then(end, end);
  }

  /** Begins every waiting call that has a place. */
  #advance(): void {
    for (let call = this.#next(); call !== undefined; call = this.#next()) {
      this.#waiting[call.kind].delete(call);
      this.#underWay.add(call);
      call.begin();
    }
  }

  /** The first waiting call with a place. */
  #next(): Call | undefined {
    const others = [...this.#underWay];
    let next: Call | undefined;
    for (const [first] of Object.values(this.#waiting)) {
      if (first === undefined || !this.#hasPlace(first.kind, others)) continue;
      if (next === undefined || first.number < next.number) next = first;
    }
    return next;
  }

  /** Gives up each waiting call that can have no place while other calls hang. */
  #giveUp(): void {
    for (const queue of Object.values(this.#waiting)) {
      for (const call of queue) {
        if (!this.#isKeptOut(call)) continue;
        queue.delete(call);
        call.giveUp();
      }
    }
  }

  #isKeptOut({ kind, path }: Call): boolean {
    const hung = [...this.#underWay].filter(({ isHung }) => isHung);
    const isHung = hung.some((each) => each.kind === kind && each.path === path);
    return isHung || !this.#hasPlace(kind, hung);
  }

  /** Whether a call of a kind may begin beside others. */
  #hasPlace(kind: CallKind, others: readonly Call[]): boolean {
    return (
      others.length < this.#bounds.maxCalls &&
      others.filter((other) => other.kind === kind).length < maxOfKind[kind]
    );
  }

  #silence(): string {
    return `no answer within ${this.#bounds.timeoutMs / 1_000} s`;
  }
}
