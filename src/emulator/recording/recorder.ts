/** Passes requests on to the service, and keeps its answers. */
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EmulatorLog } from '../log.ts';
import { decode } from '../protocol/decode.ts';
import { envelope } from '../protocol/envelope.ts';
import { wholeReply, type EmulatorReply, type EmulatorRequest } from '../protocol/message.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { Pseudonyms } from './pseudonyms.ts';
import { keyOf, recordedRequest, type RecordedRequest } from './recorded-request.ts';
import { responseOf, writeRecorded, type Recorded, type RecordedResponse } from './recording.ts';
import { askUpstream, type UpstreamAnswer, type UpstreamCredentials } from './upstream.ts';

export interface RecorderOptions {
  /** An empty directory. */
  readonly directory: string;
  readonly upstream: URL;
  readonly credentials: UpstreamCredentials | null;
  readonly log: EmulatorLog;
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #pseudonyms = new Pseudonyms(randomBytes(32));
  readonly #recorded = new Map<string, Recorded>();
  /** Files are written one after the other, so that the newest content of a file wins. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** The answer of the service, as it came. Without an answer, `InternalError` with the reason. */
  async handle(request: EmulatorRequest): Promise<EmulatorReply> {
    try {
      const decoded = decode(request);
      const { upstream, credentials } = this.#options;
      const answer = await askUpstream(upstream, decoded, credentials);
      const asked = recordedRequest(decoded);
      if (asked !== null) await this.#keep(asked, answer);
      return wholeReply(answer.body, answer.status, answer.contentType);
    } catch (error) {
      return refusal(error);
    }
  }

  async #keep(asked: RecordedRequest, { status, body }: UpstreamAnswer): Promise<void> {
    const response = status === 200 ? responseOf(body) : null;
    if (response === null) {
      const { action, region } = asked;
      const reason = `it does not come from the service: status ${status}`;
      this.#options.log.warn('an answer was not recorded', { action, region, reason });
      return;
    }
    const { parameters } = asked;
    const request = { ...asked, parameters: this.#pseudonyms.fields(parameters) };
    const key = keyOf(request);
    const known = this.#recorded.get(key)?.answers ?? [];
    const answers = withAnswer(known, this.#anonymous(response));
    const recorded: Recorded = { format: 1, ...request, answers };
    this.#recorded.set(key, recorded);
    this.#writing = this.#writing.then(() => this.#write(recorded));
    await this.#writing;
  }

  /** After a failure, the next answer to the same request writes the whole file again. */
  async #write(recorded: Recorded): Promise<void> {
    const { action, region } = recorded;
    try {
      await writeRecorded(this.#options.directory, recorded);
      this.#options.log.debug?.('recorded', { action, region });
    } catch (error) {
      const reason = reasonOf(error);
      this.#options.log.warn('an answer was not recorded', { action, region, reason });
    }
  }

  #anonymous({ RequestId: _requestId, Error: error, ...fields }: RecordedResponse) {
    return { ...this.#pseudonyms.fields(fields), ...errorPart(error) };
  }
}

const errorSchema = z.object({ Code: z.string() });

/** The message of an error can name anything, so only its code is kept. */
function errorPart(error: unknown): RecordedResponse {
  const read = errorSchema.safeParse(error);
  if (!read.success) return {};
  return { Error: { Code: read.data.Code, Message: 'The message was not recorded.' } };
}

function withAnswer(known: Recorded['answers'], response: RecordedResponse): Recorded['answers'] {
  const last = known.at(-1);
  if (last === undefined || JSON.stringify(last.response) !== JSON.stringify(response)) {
    return [...known, { times: 1, response }];
  }
  return [...known.slice(0, -1), { ...last, times: last.times + 1 }];
}

function refusal(error: unknown): EmulatorReply {
  const { code, message } =
    error instanceof ServiceError
      ? error
      : { code: 'InternalError', message: `The service was not reached: ${reasonOf(error)}` };
  return wholeReply(JSON.stringify(envelope({ ok: false, code, message }, randomUUID())));
}

/** The error of `fetch` has its reason as the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
