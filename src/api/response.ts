/**
 * Reads answers of the service: their common envelope (docs/service.md, section 2) for `call.ts`, and for the
 * collectors the fields in it. Whatever a message quotes of an answer goes through {@link quoted} or is a code, so that
 * no secret is quoted: long runs of characters are cut (docs/security.md).
 */
import { z } from 'zod';
import { CodedError } from '../model/coded-error.ts';
import { unparsable } from './retry.ts';

const maxMessageLength = 200;
const maxCodeLength = 80;
/** Replaces a text that does not look like a code, because it would make arbitrary series of a metric. */
const otherCode = 'Other';

/** An answer without an error. */
export interface ServiceResponse {
  /** The content of `Response`: an object, not validated. Read it with {@link readFields}. */
  readonly fields: unknown;
  /** `null` if the answer has none that is safe to quote. */
  readonly requestId: string | null;
}

/** The fields are not copied: a copy would double the memory and time. */
const envelopeSchema = z.object({ Response: z.unknown().optional() });

/** An unreadable request ID, or one that looks like a key, counts as absent. */
const errorAndIdSchema = z.object({
  Error: z.unknown().optional(),
  RequestId: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .refine((id) => withoutLongRuns(id) === id)
    .nullable()
    .catch(null),
});

const errorSchema = z.object({
  Code: z.string(),
  Message: z.string().catch(''),
});

/**
 * Parses an answer, and returns its `Response`.
 *
 * @throws CodedError with the code of the service if `Response` has an `Error`, or `InvalidResponse`
 */
export function parseEnvelope(body: string): ServiceResponse {
  const envelope = envelopeSchema.safeParse(parseJson(body));
  if (!envelope.success) throw unexpectedAnswer(firstIssue(envelope.error), null);
  const { Response: fields } = envelope.data;
  const head = errorAndIdSchema.safeParse(fields);
  if (!head.success) throw unexpectedAnswer(`Response: ${firstIssue(head.error)}`, null);
  const { Error: refusal, RequestId: requestId } = head.data;
  if (refusal !== undefined && refusal !== null) throw serviceError(refusal, requestId);
  return { fields, requestId };
}

/** The error that the service reports. A code that does not look like one becomes `Other`, and the message quotes it. */
function serviceError(refusal: unknown, requestId: string | null): CodedError {
  const parsed = errorSchema.safeParse(refusal);
  if (!parsed.success) return unexpectedAnswer(`Error.${firstIssue(parsed.error)}`, requestId);
  const { Code: given, Message: message } = parsed.data;
  const code = isCode(given) ? given : null;
  const shown = code ?? quoted(given, maxCodeLength);
  const text = quoted(message, maxMessageLength);
  const reason = (code !== null && text !== '' ? [text] : [shown, text]).filter(
    (part) => part !== '',
  );
  const problem = `the service refused the request: ${reason.join(': ') || 'without a code'}`;
  return new CodedError(code ?? otherCode, problem, { requestId });
}

/**
 * Validates the content of `Response`, and returns what the schema reads.
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
    return JSON.parse(body);
  } catch {
    // The message of the parser quotes the body, which can contain anything.
    throw new CodedError('InvalidResponse', 'the answer is not JSON', { retryCode: unparsable });
  }
}

/**
 * The error of an answer that has another content than a reader expects.
 *
 * @param problem quotes an answer only by {@link quoted}
 */
export function unexpectedAnswer(problem: string, requestId: string | null): CodedError {
  return new CodedError('InvalidResponse', `unexpected answer: ${problem}`, { requestId });
}

/**
 * The first problem that a schema found, with its place. The text names types and fields, and never values of the
 * answer.
 */
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

/** Runs as long as keys, tokens and signatures, also in hexadecimal, in Base64 and percent-encoded. */
const longRuns = /[A-Za-z0-9+/=_%]{20,}/g;

/** Cuts each run of 20 and more letters, digits and `+ / = _ %` to 4 characters and `…`. */
function withoutLongRuns(text: string): string {
  return text.replace(longRuns, (run) => `${run.slice(0, 4)}…`);
}

/** What a message quotes of an answer: one printable line of at most `maxLength` characters, without long runs. */
export function quoted(text: string, maxLength: number): string {
  return printable(withoutLongRuns(text), maxLength);
}

/** A part of a code, shorter than a long run. */
const shortPart = /^[A-Z][A-Za-z0-9]{0,18}$/;
/** A capital and small letters, perhaps with a digit at the end: `Utf8`. */
const word = String.raw`[A-Z][a-z]+\d?`;
/**
 * A part of a code that is as long as a long run: words with at most one digit in all. One word may begin with an
 * abbreviation, such as `IPv6`, and the last word may be one. One of 10,000 random keys looks like this.
 */
const longPart = new RegExp(
  String.raw`^(?=.{20})(?!.*\d.*\d)(?:${word})*(?:[A-Z]{1,5}\d?(?:[a-z]+\d?)?)?(?:${word})*(?:[A-Z]{2,5})?$`,
);

/** Whether a text looks like a code of the service, and hardly ever like a key: then it is shown whole. */
export function isCode(text: string): boolean {
  if (text.length > maxCodeLength) return false;
  return text.split('.').every((part) => shortPart.test(part) || longPart.test(part));
}
