/** A service in this process: the complete client without sockets. */
import type { WireRequest } from '../../src/api/request.ts';
import { Transport, type Answer, type SendOptions } from '../../src/api/transport.ts';

/** The answer of a service with status 200. */
export type AnswerBody = (path: string) => string | Buffer;

/** A function answers every request. */
export class InProcessTransport extends Transport {
  readonly #answer: AnswerBody;

  constructor(answer: AnswerBody) {
    super({});
    this.#answer = answer;
  }

  override send(_origin: URL, { path }: WireRequest, { onWrite }: SendOptions): Promise<Answer> {
    onWrite?.();
    return Promise.resolve({ status: 200, date: null, body: this.#answer(path).toString() });
  }
}
