/**
 * The answers to HTTP requests as data, and the queue in which they are rendered once for many clients. `app.ts` and
 * `metrics/exposition.ts` render by the queue; `server.ts` writes answers to the socket.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createYielder, mapWithYields, type Pace } from '../model/async.ts';

export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Node.js sends no body for HEAD. */
  readonly body: string | Buffer;
}

/** An answer with the headers that every answer has, as plain text. `headers` adds to these or replaces them. */
export function textAnswer(
  status: number,
  body: Answer['body'],
  headers: OutgoingHttpHeaders = {},
): Answer {
  const common = {
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Content-Type': 'text/plain; charset=utf-8',
  };
  return { status, headers: { ...common, ...headers }, body };
}

/** @param members the members of one JSON object, each as text such as `"quotas":[]` */
export function jsonAnswer(members: readonly string[], status = 200) {
  return textAnswer(status, `{${members.join(',')}}`, { 'Content-Type': 'application/json' });
}

/** A time in ISO 8601 in UTC; `null` for an event that has not happened. */
export function timestamp(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

/** The text `"name":[…]`, a member for `jsonAnswer`. Yields between the items. */
export async function listJson<T>(
  name: string,
  items: readonly T[],
  jsonOf: (item: T) => unknown,
  pace: Pace,
): Promise<string> {
  const texts = await mapWithYields(items, (item) => JSON.stringify(jsonOf(item)), pace);
  return `${JSON.stringify(name)}:[${texts.join(',')}]`;
}

export const notFound = textAnswer(404, 'not found\n');
export const internalError = textAnswer(500, 'internal error; the log says more\n');

/** Whom an answer is for: a connection that may end before the answer is rendered. */
export type Client = Readonly<Pick<Socket, 'destroyed'>>;

/** The parts of a request that an answer depends on. */
export interface AppRequest extends Pick<IncomingMessage, 'headers' | 'method'> {
  readonly socket: Client;
}

/**
 * Makes an answer. It awaits `pace` after each short piece of work, which lets others go on, and which rejects when all
 * clients have left.
 */
export type Render = (pace: Pace) => Promise<Answer>;

/** A request that waits for an answer. */
interface Reader {
  readonly client: Client;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  /** Answers 503 after the maximum wait. It is cleared when the rendering begins; `undefined` for a reader that came later. */
  readonly timer: NodeJS.Timeout | undefined;
}

/**
 * One rendering of an address. Its states:
 *
 * - waiting for earlier ones: `begunAtMs` is `null`
 * - running: `answer` is `null`
 * - kept: `answer` is there, for an interval after the end
 * - dropped: not in the queue any more, because it failed, all clients have left, or the interval is over
 */
interface Rendering {
  readonly render: Render;
  /** The requests that wait for it; {@link readersOf} forgets those of clients that have left. Empty once it has ended. */
  readers: readonly Reader[];
  /** By the monotonic clock, in milliseconds. */
  begunAtMs: number | null;
  answer: Answer | null;
}

/** Maximum number of renderings that wait. */
const maxWaiting = 64;
/** Maximum time for which a client waits until its rendering begins. */
const maxWaitMs = 10_000;
const tooBusy = textAnswer(503, 'too much waits to be rendered; try again later\n', {
  'Retry-After': '10',
});

/**
 * Renders answers: one after the other, and the answer of an address at most once in an interval. An address is a text of all
 * that an answer depends on, such as path, query, language and compression. All who ask within the interval after a rendering
 * began get its answer, so none is older than that when it is asked for. A failure is not kept.
 *
 * A rendering is dropped when its last client has left, also while it runs. A request is answered 503 with Retry-After if
 * 64 renderings wait already, or if it has waited for 10 s.
 */
export class RenderQueue {
  readonly #intervalMs: number;
  readonly #prior: RenderQueue | null;
  /** The last rendering of each address; memory is freed an interval after its end. Those that wait are in their order. */
  readonly #renderings = new Map<string, Rendering>();
  /** Resolves when no rendering waits or runs any more. `null` while none does. */
  #running: Promise<void> | null = null;

  /** @param prior the queue that goes before this one, that of the scrapes: while it renders, this one stands still */
  constructor(intervalMs = 1_000, prior: RenderQueue | null = null) {
    this.#intervalMs = intervalMs;
    this.#prior = prior;
  }

  /**
   * The answer of an address; without a promise if it is kept, or if too many wait. The promise rejects as `render` does. It
   * may stay pending if the client leaves.
   */
  ask(address: string, client: Client, render: Render): Answer | Promise<Answer> {
    let rendering = this.#renderings.get(address);
    // A rendering that waits is as good as one that begins now.
    const begunAtMs = rendering?.begunAtMs ?? Infinity;
    if (rendering === undefined || performance.now() - begunAtMs >= this.#intervalMs) {
      if (this.#waiting().length >= maxWaiting) return tooBusy;
      rendering = { render, readers: [], begunAtMs: null, answer: null };
      // Deleted first, so that it is the last in the order.
      this.#renderings.delete(address);
      this.#renderings.set(address, rendering);
    }
    if (rendering.answer !== null) return rendering.answer;
    const answer = answerFor(client, rendering);
    this.#running ??= this.#run();
    return answer;
  }

  /** Returns the renderings that have not begun, and removes each of them that no client waits for. */
  #waiting(): (readonly [address: string, rendering: Rendering])[] {
    const waiting = [...this.#renderings].filter(([, { begunAtMs }]) => begunAtMs === null);
    return waiting.filter(([address, rendering]) => {
      const isWanted = readersOf(rendering).length > 0;
      if (!isWanted) this.#renderings.delete(address);
      return isWanted;
    });
  }

  /** Renders until none waits. Never rejects. */
  async #run(): Promise<void> {
    for (;;) {
      await this.#turn();
      const [oldest] = this.#waiting();
      if (oldest === undefined) break;
      await this.#render(...oldest);
    }
    this.#running = null;
  }

  /** Lets the event loop serve others, then waits while the prior queue renders. */
  async #turn(): Promise<void> {
    const prior = this.#prior;
    await nextTurn();
    while (prior !== null && prior.#running !== null) await prior.#running;
  }

  /** Runs a rendering, and gives its readers the answer or the rejection. Never rejects. */
  async #render(address: string, rendering: Rendering): Promise<void> {
    for (const { timer } of rendering.readers) clearTimeout(timer);
    rendering.begunAtMs = performance.now();
    const forget = () => {
      if (this.#renderings.get(address) === rendering) this.#renderings.delete(address);
    };
    const pace = createYielder(async () => {
      await this.#turn();
      if (readersOf(rendering).length > 0) return;
      // Not only when it ends: who asks until then must not wait for a rendering that fails.
      forget();
      throw new Error('all clients have left');
    });
    const answer = Promise.resolve(pace).then(rendering.render);
    try {
      rendering.answer = await answer;
      setTimeout(forget, this.#intervalMs).unref();
    } catch {
      forget();
    }
    // The promise may have rejected: so do then those of the readers.
    for (const { resolve } of rendering.readers) resolve(answer);
    rendering.readers = [];
  }
}

/** The requests that wait for a rendering. First forgets those of clients that have left. */
function readersOf(rendering: Rendering): readonly Reader[] {
  for (const { client, timer } of rendering.readers) if (client.destroyed) clearTimeout(timer);
  rendering.readers = rendering.readers.filter(({ client }) => !client.destroyed);
  return rendering.readers;
}

/** Adds a reader to a rendering. Resolves with the answer; with 503 if the rendering has not begun after the maximum wait. */
function answerFor(client: Client, rendering: Rendering): Promise<Answer> {
  return new Promise((resolve) => {
    const giveUp = () => {
      rendering.readers = rendering.readers.filter((other) => other !== reader);
      resolve(tooBusy);
    };
    const isWaiting = rendering.begunAtMs === null;
    const timer = isWaiting ? setTimeout(giveUp, maxWaitMs).unref() : undefined;
    const reader = { client, resolve, timer };
    rendering.readers = [...readersOf(rendering), reader];
  });
}
