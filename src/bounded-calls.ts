/**
 * Calls to file systems that end in a bounded time, also if a disk or a mount hangs. Whatever reads or writes files while
 * the daemon runs goes through it: records and their lock, credentials, and configurations.
 *
 * A call waits in the queue of its kind until it begins or is refused. A call that takes too long is rejected, and counts
 * as hung: it keeps its thread, and its place among the calls that are under way, until it ends after all.
 */

/** The purpose of a call: each has its own bound, so that one that hangs leaves the others their threads. */
export type CallKind = 'storage' | 'credentials' | 'configuration';

/** A call did not end in time, and may still end, and take effect, at any later moment; or it was not tried at all. */
export class HungCallError extends Error {
  readonly code = 'ETIMEDOUT';
}

/** How long a call may take before it counts as failed. The time in which it waits for others does not count. */
const maxCallMs = 2_000;
/** The time passes in steps of a timer: if the whole process was suspended, that counts as one step and not as a hung disk. */
const timeoutSteps = 10;

/**
 * How many calls may be under way, and how many of a kind. A call that hangs keeps its thread. Node has four: one
 * stays free for what else needs one, such as the lookup of a host name.
 */
const maxCalls = 3;
const maxOfKind = { storage: 2, credentials: 2, configuration: 1 } as const;

interface Call {
  readonly kind: CallKind;
  readonly path: string;
  isHung: boolean;
}

type Queues = Readonly<Record<CallKind, (() => boolean)[]>>;

/** The calls of a process. All of them share its threads, so a process has one object. */
export class BoundedCalls {
  readonly #timeoutMs: number;
  /** The calls that have begun and not ended, also hung ones. */
  readonly #underWay = new Set<Call>();
  /** By kind, the oldest first: functions that begin or refuse a call, and then return `true`. `false`: it has to wait. */
  readonly #waiting: Queues = { storage: [], credentials: [], configuration: [] };

  constructor({ timeoutMs = maxCallMs } = {}) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Begins the call as soon as fewer than the maximum are under way, in the order of the calls of its kind.
   *
   * @param path names the call in messages
   * @throws HungCallError from a call that takes too long, and as soon as it is its turn while a call of the kind for the same
   *   path hangs, or so many hang that no further one may begin
   */
  run<T>(kind: CallKind, path: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const tryToBegin = () => {
        const others = [...this.#underWay];
        const hung = others.filter(({ isHung }) => isHung);
        const isPathHung = hung.some((call) => call.kind === kind && call.path === path);
        if (isPathHung || !mayBegin(kind, hung)) {
          reject(new HungCallError(`${path}: not tried, earlier calls do not answer`));
          return true;
        }
        if (!mayBegin(kind, others)) return false;
        const result = Promise.resolve().then(work);
        result.then(resolve, reject);
        this.#supervise({ kind, path, isHung: false }, result, reject);
        return true;
      };
      this.#waiting[kind].push(tryToBegin);
      this.#beginWaiting();
    });
  }

  /** Fails a call that takes too long, and begins waiting ones when it has ended. */
  #supervise(call: Call, result: Promise<unknown>, fail: (error: HungCallError) => void): void {
    this.#underWay.add(call);
    let stepsLeft = timeoutSteps;
    const timer = setInterval(() => {
      stepsLeft -= 1;
      if (stepsLeft > 0) return;
      clearInterval(timer);
      call.isHung = true;
      fail(new HungCallError(`${call.path}: no answer within ${this.#timeoutMs / 1_000} s`));
      this.#beginWaiting();
    }, this.#timeoutMs / timeoutSteps);
    const end = () => {
      clearInterval(timer);
      this.#underWay.delete(call);
      this.#beginWaiting();
    };
    result.then(end, end);
  }

  #beginWaiting(): void {
    for (const queue of Object.values(this.#waiting)) while (queue[0]?.() === true) queue.shift();
  }
}

/** Whether a further call of a kind may begin while others are under way. */
function mayBegin(kind: CallKind, others: readonly Call[]): boolean {
  const ofKind = others.filter((other) => other.kind === kind).length;
  return others.length < maxCalls && ofKind < maxOfKind[kind];
}
