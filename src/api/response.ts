/** The envelope of every answer (service-facts.md, section 3). */
import { z } from 'zod';
import { CodedError } from '../model/coded-error.ts';
import { printable, redacted, redactedCode } from './text.ts';

const maxMessageLength = 200;

/** An answer without an error. */
export interface ServiceResponse {
  /** What stands under `Response`. */
  readonly fields: unknown;
  readonly requestId: string | null;
}

const envelopeSchema = z.object({
  Response: z.looseObject({
    Error: z
      .object({
        Code: z
          .string()
          .max(64)
          .regex(/^[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)*$/),
        Message: z.string().nullish().catch(null),
      })
      .nullish(),
    RequestId: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .nullish()
      .catch(null),
  }),
});

/**
 * Opens an answer.
 *
 * @param secrets what no message may quote, should the service send it back
 * @throws CodedError with the service's code, or `InvalidResponse`
 */
export function openEnvelope(body: string, secrets: readonly string[]): ServiceResponse {
  const envelope = envelopeSchema.safeParse(parseJson(body));
  if (!envelope.success) throw invalidResponse(envelope.error, null);
  const { Response: fields } = envelope.data;
  const requestId = innocent(fields.RequestId ?? null, secrets);
  if (fields.Error) {
    const text = printable(redacted(fields.Error.Message ?? '', secrets), maxMessageLength);
    const code = redactedCode(fields.Error.Code, secrets);
    const message = `the service refused the request: ${text === '' ? code : text}`;
    throw new CodedError(code, message, { requestId });
  }
  return { fields, requestId };
}

/**
 * Validates what stands under `Response`.
 *
 * @throws CodedError `InvalidResponse`
 */
export function readFields<S extends z.ZodType>(response: ServiceResponse, schema: S): z.output<S> {
  const result = schema.safeParse(response.fields);
  if (!result.success) throw invalidResponse(result.error, response.requestId);
  return result.data;
}

function innocent(requestId: string | null, secrets: readonly string[]): string | null {
  return secrets.some((secret) => requestId?.includes(secret)) ? null : requestId;
}

function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return value;
  } catch {
    // The parser's own message quotes the body, which may hold anything.
    throw new CodedError('InvalidResponse', 'the answer is not JSON');
  }
}

function invalidResponse(error: z.ZodError, requestId: string | null): CodedError {
  return new CodedError('InvalidResponse', `unexpected answer: ${firstIssue(error)}`, {
    requestId,
  });
}

/** What a schema minds first. Its words name types and fields of ours, never values of the answer. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? error.name : `${issue.path.join('.')}: ${issue.message}`;
}
