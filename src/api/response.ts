/** The envelope of every answer (docs/service.md, section 2). */
import { z } from 'zod';
import { CodedError } from '../model/coded-error.ts';
import { unparsable } from './retry.ts';

const maxMessageLength = 200;
const maxCodeLength = 64;
/** Replaces a code of the service that cannot be a label. */
const otherCode = 'Other';

/** An answer without an error. */
export interface ServiceResponse {
  /** The content of `Response`. */
  readonly fields: unknown;
  readonly requestId: string | null;
}

/** The fields are not copied: a copy would double the memory and time. */
const envelopeSchema = z.object({ Response: z.unknown().optional() });

const headSchema = z.object({
  Error: z.unknown().optional(),
  RequestId: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .nullish()
    .catch(null),
});

const errorSchema = z.object({
  Code: z.string(),
  Message: z.string().nullish().catch(null),
});

const labelCode = /^[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)*$/;

/**
 * Opens an answer.
 *
 * @param secrets texts that must not be in any message, also when the service sends them back
 * @throws CodedError with the service's code, or `InvalidResponse`
 */
export function openEnvelope(body: string, secrets: readonly string[]): ServiceResponse {
  const envelope = envelopeSchema.safeParse(parseJson(body));
  if (!envelope.success) throw invalidResponse(envelope.error, null);
  const { Response: fields } = envelope.data;
  const head = headSchema.safeParse(fields);
  if (!head.success) throw invalidResponse(head.error, null, 'Response: ');
  const id = head.data.RequestId ?? null;
  const requestId = id !== null && redacted(id, secrets) === id ? id : null;
  const refusal = head.data.Error ?? null;
  if (refusal !== null) throw serviceError(refusal, requestId, secrets);
  return { fields, requestId };
}

/**
 * The error that the service reports. A code that cannot be a label becomes `Other`, and the message
 * holds the code.
 */
function serviceError(
  refusal: unknown,
  requestId: string | null,
  secrets: readonly string[],
): CodedError {
  const parsed = errorSchema.safeParse(refusal);
  if (!parsed.success) return invalidResponse(parsed.error, requestId, 'Error.');
  const clean = (text: string) => redacted(text, secrets);
  const written = printable(clean(parsed.data.Code), maxCodeLength);
  const isLabel = written === parsed.data.Code && labelCode.test(written);
  const text = printable(clean(parsed.data.Message ?? ''), maxMessageLength);
  const reason = [...(isLabel && text !== '' ? [] : [written]), text].filter((part) => part !== '');
  return new CodedError(
    isLabel ? written : otherCode,
    `the service refused the request: ${reason.join(': ') || 'without a code'}`,
    { requestId },
  );
}

/**
 * Validates the content of `Response`.
 *
 * @throws CodedError `InvalidResponse`
 */
export function readFields<S extends z.ZodType>(response: ServiceResponse, schema: S): z.output<S> {
  const result = schema.safeParse(response.fields);
  if (!result.success) throw invalidResponse(result.error, response.requestId);
  return result.data;
}

function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return value;
  } catch {
    // The message of the parser quotes the body, which can contain anything.
    throw new CodedError('InvalidResponse', 'the answer is not JSON', { retryCode: unparsable });
  }
}

function invalidResponse(error: z.ZodError, requestId: string | null, place = ''): CodedError {
  const message = `unexpected answer: ${place}${firstIssue(error)}`;
  return new CodedError('InvalidResponse', message, { requestId });
}

/** The first problem of a schema. Its text names our types and fields, never values of the answer. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? error.name : `${issue.path.join('.')}: ${issue.message}`;
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu;

/** Text from outside in one printable line of at most `maxLength` characters, safe for a log line or a label. */
export function printable(text: string, maxLength: number): string {
  // Cutting first bounds the work. The factor allows for characters that are removed.
  const line = text
    .slice(0, maxLength * 4)
    .replace(unprintable, ' ')
    .trim();
  return line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join('');
}

/** Shorter values would match ordinary text. */
const shortestSecret = 4;

/** The text without the given values, as they are and as they are in a query string. */
function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
