/** Answers from a recording. Signatures are not checked, because a recording contains no keys. */
import { randomUUID } from 'node:crypto';
import type { EmulatorLog } from '../log.ts';
import { decode } from '../protocol/decode.ts';
import { envelope, type Answer } from '../protocol/envelope.ts';
import { wholeReply, type EmulatorReply, type EmulatorRequest } from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { keyOf, recordedRequest } from './recorded-request.ts';
import type { Recorded } from './recording.ts';

export class Replay {
  readonly #answers: ReadonlyMap<string, Recorded['answers']>;
  readonly #log: EmulatorLog;
  /** The number of answers given so far, by request. */
  readonly #given = new Map<string, number>();

  constructor(recording: readonly Recorded[], log: EmulatorLog) {
    this.#answers = new Map(recording.map((recorded) => [keyOf(recorded), recorded.answers]));
    this.#log = log;
  }

  /** The next recorded answer to a request. The last one repeats. */
  handle(request: EmulatorRequest): EmulatorReply {
    const requestId = randomUUID();
    try {
      const response = this.#next(request);
      return wholeReply(JSON.stringify({ Response: { ...response, RequestId: requestId } }));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const answer: Answer = { ok: false, code: error.code, message: error.message };
      return wholeReply(JSON.stringify(envelope(answer, requestId)));
    }
  }

  #next(request: EmulatorRequest): Recorded['answers'][number]['response'] {
    const asked = recordedRequest(decode(request));
    if (asked === null) throw new ServiceError('MissingParameter');
    const key = keyOf(asked);
    const answers = this.#answers.get(key);
    if (answers === undefined) {
      const { action, region } = asked;
      this.#log.warn('a request is not in the recording', { action, region });
      throw new ServiceError('ResourceNotFound', 'The recording has no answer to this request.');
    }
    let given = this.#given.get(key) ?? 0;
    this.#given.set(key, given + 1);
    for (const { times, response } of answers) {
      if (given < times) return response;
      given -= times;
    }
    return answers.at(-1)?.response ?? {};
  }
}
