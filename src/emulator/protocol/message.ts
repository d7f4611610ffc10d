import type { FaultRule } from '../scenario/fault.ts';

/** A request as received, before it is decoded. */
export interface EmulatorRequest {
  readonly method: string;
  /** Path and query exactly as sent, such as `/?Action=DescribeAccountQuota`. */
  readonly target: string;
  /** Headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: Uint8Array;
}

/** The answer of the emulator, and how it is sent. */
export interface EmulatorReply {
  readonly status: number;
  readonly contentType: string;
  /** Additional headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Delay of the answer. */
  readonly latencyMs: number;
  /** The rule of the fault that the answer has, or that its sending will have. */
  readonly fault: FaultRule | null;
}

/** A reply before its delay is known. */
export type ReplyContent = Omit<EmulatorReply, 'latencyMs'>;

export function replyOf(
  body: string,
  { status = 200, contentType = 'application/json' } = {},
): ReplyContent {
  return { status, contentType, headers: {}, body, fault: null };
}

/** The value of a header. If there are several, the first one. */
export function headerOf(request: Pick<EmulatorRequest, 'headers'>, name: string): string | null {
  const value = request.headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

/** What an operation answers: the fields of `Response` without RequestId, or an error. */
export type Answer =
  | { readonly ok: true; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** The envelope of every answer (docs/service.md, section 2). */
export function envelope(answer: Answer, requestId: string): Readonly<Record<string, unknown>> {
  const content = answer.ok
    ? answer.fields
    : { Error: { Code: answer.code, Message: answer.message } };
  return { Response: { ...content, RequestId: requestId } };
}
