/** Calls to file systems that end in a bounded time, also if a disk or a mount hangs. */

/** What a call is for. */
export type CallKind = 'storage' | 'credentials' | 'configuration';

/** A call did not end in time. It may still end, and take effect, at any later moment. */
export class HungCallError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(message: string) {
    super(message);
    this.name = 'HungCallError';
  }
}

/** How long a call may take before it counts as failed. The time in which it waits for others does not count. */
export const maxCallMs = 2_000;

/**
 * How many calls may be under way, and how many of a kind. A call that hangs keeps its thread. Node has four: one
 * stays free for what else needs one, such as the lookup of a host name.
 */
const maxCalls = 3;
const maxOfKind: Readonly<Record<CallKind, number>> = {
  storage: 2,
  credentials: 2,
  configuration: 1,
};

interface Call {
  readonly kind: CallKind;
  readonly path: string;
  readonly begin: () => void;
  readonly fail: (error: HungCallError) => void;
  isHung: boolean;
}

/**
 * Fails when a call does not end in time. For a start, when nothing else needs the threads.
 *
 * @throws HungCallError
 */
export function inTime<T>(call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new HungCallError(`no answer within ${maxCallMs / 1_000} s`));
    }, maxCallMs);
    const end = () => {
      clearTimeout(timer);
      resolve(call);
    };
    void call.then(end, end);
  });
}

/** The calls of a process. All of them share its threads, so a process has one object. */
export class BoundedCalls {
  readonly #timeoutMs: number;
  readonly #underWay = new Set<Call>();
  readonly #waiting: Record<CallKind, Call[]> = { storage: [], credentials: [], configuration: [] };

  constructor({ timeoutMs }: { readonly timeoutMs: number } = { timeoutMs: maxCallMs }) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Calls as soon as there is a place for the call.
   *
   * @param path names the call in messages
   * @param isFirst whether it goes before the calls of its kind that wait
   * @throws HungCallError from a call that takes too long, and at once while a call of the kind for the same path
   *   hangs, or so many hang that no further one may begin
   */
  run<T>(kind: CallKind, path: string, work: () => Promise<T>, isFirst = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const call: Call = {
        kind,
        path,
        isHung: false,
        fail: reject,
        begin: () => {
          const result = Promise.resolve().then(work);
          this.#watch(call, result);
          result.then(resolve, reject);
        },
      };
      if (isFirst) this.#waiting[kind].unshift(call);
      else this.#waiting[kind].push(call);
      this.#refuse([call]);
      this.#advance();
    });
  }

  /** Fails a call that takes too long, and gives its place to others when it has ended. */
  #watch(call: Call, result: Promise<unknown>): void {
    const timer = setTimeout(() => {
      call.isHung = true;
      call.fail(new HungCallError(`${call.path}: no answer within ${this.#timeoutMs / 1_000} s`));
      this.#refuse(Object.values(this.#waiting).flat());
    }, this.#timeoutMs);
    const end = () => {
      clearTimeout(timer);
      this.#underWay.delete(call);
      this.#advance();
    };
    result.then(end, end);
  }

  /** Begins every waiting call that has a place. */
  #advance(): void {
    for (const queue of Object.values(this.#waiting)) {
      for (
        let [call] = queue;
        call !== undefined && hasPlace(call, this.#underWay);
        [call] = queue
      ) {
        queue.shift();
        this.#underWay.add(call);
        call.begin();
      }
    }
  }

  /** Fails those of the waiting calls that can have no place while others hang. */
  #refuse(calls: readonly Call[]): void {
    const hung = new Set([...this.#underWay].filter(({ isHung }) => isHung));
    if (hung.size === 0) return;
    for (const call of calls) {
      const { kind, path } = call;
      const isPathHung = [...hung].some((each) => each.kind === kind && each.path === path);
      if (!isPathHung && hasPlace(call, hung)) continue;
      this.#waiting[kind] = this.#waiting[kind].filter((each) => each !== call);
      call.fail(new HungCallError(`${path}: not tried, earlier calls do not answer`));
    }
  }
}

/** Whether a call may be under way beside others. */
function hasPlace({ kind }: Call, others: ReadonlySet<Call>): boolean {
  const ofKind = [...others].filter((other) => other.kind === kind).length;
  return others.size < maxCalls && ofKind < maxOfKind[kind];
}
