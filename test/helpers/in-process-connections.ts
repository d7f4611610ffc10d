/** Connections to a service in this process: the complete client without sockets. */
import { Dispatcher } from 'undici';
import { ConnectionPool, ConnectionPools, type Connection } from '../../src/api/connections.ts';

/** The answer of a service with status 200. */
export type AnswerBody = (path: string) => string | Buffer;

/** Connections on which a function answers every request. */
export class InProcessConnections extends ConnectionPools {
  readonly #pool: InProcessPool;

  constructor(answer: AnswerBody) {
    super();
    this.#pool = new InProcessPool(answer);
  }

  override poolOf(): ConnectionPool {
    return this.#pool;
  }
}

class InProcessPool extends ConnectionPool {
  readonly #connection: Connection;

  constructor(answer: AnswerBody) {
    super(
      new URL('http://in-process'),
      { proxy: null, secureContext: undefined },
      { maxConnections: 1, connectTimeoutMs: 1_000 },
    );
    const dispatcher = new InProcessDispatcher(answer);
    this.#connection = { dispatcher, release: () => undefined, close: () => undefined };
  }

  override borrow(): Connection {
    return this.#connection;
  }
}

class InProcessDispatcher extends Dispatcher {
  readonly #answer: AnswerBody;

  constructor(answer: AnswerBody) {
    super();
    this.#answer = answer;
  }

  override dispatch(
    { path }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const exchange = new ExchangeControl();
    handler.onRequestStart?.(exchange, null);
    const body = this.#answer(path);
    const steps = [
      () => handler.onResponseStart?.(exchange, 200, {}, 'OK'),
      () => handler.onResponseData?.(exchange, Buffer.from(body)),
      () => handler.onResponseEnd?.(exchange, {}),
    ];
    for (const step of steps) if (!exchange.aborted) step();
    return true;
  }
}

class ExchangeControl implements Dispatcher.DispatchController {
  readonly paused = false;
  aborted = false;
  reason: Error | null = null;

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }

  pause(): void {
    throw new Error('nothing to pause: the answer is complete');
  }

  resume(): void {
    throw new Error('nothing to resume: the answer is complete');
  }
}
