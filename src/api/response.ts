/**
 * Reads answers of the service: their common envelope (docs/service.md, section 2), and for the collectors the fields in
 * it. No error quotes a secret or unprintable text.
 */
import { z } from 'zod';
import { CodedError } from '../model/coded-error.ts';
import { unparsable } from './retry.ts';

const maxMessageLength = 200;
const maxCodeLength = 64;
/** Replaces a text that does not look like a code, because it would make arbitrary series of a metric. */
const otherCode = 'Other';

/** An answer without an error. */
export interface ServiceResponse {
  /** The content of `Response`. */
  readonly fields: unknown;
  readonly requestId: string | null;
}

/** The fields are not copied: a copy would double the memory and time. */
const envelopeSchema = z.object({ Response: z.unknown().optional() });

const errorAndIdSchema = z.object({
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

/** Each code of the service looks like this. */
const codePattern = /^[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)*$/;

/**
 * Parses an answer, and returns its `Response`.
 *
 * @param secrets strings to remove from errors: the service may send them back
 * @throws CodedError with the code of the service if `Response` has an `Error`, or `InvalidResponse`
 */
export function parseEnvelope(body: string, secrets: readonly string[]): ServiceResponse {
  const envelope = envelopeSchema.safeParse(parseJson(body));
  if (!envelope.success) throw unexpectedAnswer(firstIssue(envelope.error), null);
  const { Response: fields } = envelope.data;
  const head = errorAndIdSchema.safeParse(fields);
  if (!head.success) throw unexpectedAnswer(`Response: ${firstIssue(head.error)}`, null);
  const id = head.data.RequestId ?? null;
  const requestId = id !== null && redact(id, secrets) === id ? id : null;
  const refusal = head.data.Error ?? null;
  if (refusal !== null) throw serviceError(refusal, requestId, secrets);
  return { fields, requestId };
}

/** The error that the service reports. A code that does not look like one becomes `Other`, and the message holds it. */
function serviceError(
  refusal: unknown,
  requestId: string | null,
  secrets: readonly string[],
): CodedError {
  const parsed = errorSchema.safeParse(refusal);
  if (!parsed.success) return unexpectedAnswer(`Error.${firstIssue(parsed.error)}`, requestId);
  const clean = (text: string) => redact(text, secrets);
  const written = printable(clean(parsed.data.Code), maxCodeLength);
  const isCode = written === parsed.data.Code && codePattern.test(written);
  const text = printable(clean(parsed.data.Message ?? ''), maxMessageLength);
  const reason = [...(isCode && text !== '' ? [] : [written]), text].filter((part) => part !== '');
  return new CodedError(
    isCode ? written : otherCode,
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
  if (!result.success) throw unexpectedAnswer(firstIssue(result.error), response.requestId);
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

/**
 * The error of an answer that has another content than a reader expects.
 *
 * @param problem quotes no secret or unprintable text
 */
export function unexpectedAnswer(problem: string, requestId: string | null): CodedError {
  return new CodedError('InvalidResponse', `unexpected answer: ${problem}`, { requestId });
}

/** The first problem that a schema found. The text names our types and fields, never values of the answer. */
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

/** Replaces secrets by `[redacted]`, also where they are percent-encoded as in a query string. */
function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
