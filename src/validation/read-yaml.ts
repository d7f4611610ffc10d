/**
 * Reads YAML with a schema, and reports the place of every mistake: configurations, scenarios and web configuration
 * files.
 */
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { messageOf } from '../model/errors.ts';
import { explainable, explainIssues } from './explain.ts';
import { InvalidFileError, formatPath, placeAfter } from './problem.ts';
import { readDocument, type YamlDocument } from './yaml-document.ts';

/**
 * Reads and validates a file.
 *
 * @throws InvalidFileError with all problems of the file, also when it cannot be read
 */
export async function readYamlFile<S extends z.ZodType>(file: string, schema: S) {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new InvalidFileError(file, `the file cannot be read: ${messageOf(error)}`);
  });
  return readYaml(bytes, file, schema);
}

/**
 * Validates the bytes of a file, at most 1 MiB.
 *
 * @param file the file name in problems
 * @throws InvalidFileError with all problems of the file
 */
export async function readYaml<S extends z.ZodType>(bytes: Buffer, file: string, schema: S) {
  if (bytes.length > maxBytes) throw new InvalidFileError(file, 'the file is larger than 1 MiB');
  const document = readDocument(decodeText(bytes, file), file);
  return outputOf(document, await schema.safeParseAsync(document.value, explainable));
}

/**
 * Decodes UTF-8. A byte order mark is left out.
 *
 * @throws InvalidFileError which names another encoding, or the place of a byte that is no text in UTF-8
 */
function decodeText(bytes: Buffer, file: string): string {
  const encoding = otherEncoding(bytes);
  const text = new TextDecoder('utf-8').decode(bytes);
  // A bad byte is decoded as U+FFFD. In valid UTF-8, U+FFFD is a character of the file.
  const [beginning = ''] = text.split(isUtf8(bytes) ? '\0' : /[\0\uFFFD]/, 1);
  if (encoding === null && beginning === text) return text;
  const readable = encoding === null ? beginning : '';
  const message = `the file is ${encoding ?? 'not UTF-8 from here on'}: save it as UTF-8`;
  throw new InvalidFileError(file, [{ ...placeAfter(readable), path: '', message }]);
}

/** Another encoding by its byte order mark, or by a zero byte beside the first character. `null` for none of them. */
function otherEncoding(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 4);
  if (/^(\xFF\xFE\0\0|\0\0\xFE)/.test(start)) return 'UTF-32';
  return /^(\xFF\xFE|\xFE\xFF|\0[^\0]|[^\0]\0)/.test(start) ? 'UTF-16' : null;
}

/**
 * The YAML library takes up to 4 seconds and 600 MiB for this size, if the text is nothing but short values. A file with
 * 10,000 accounts is smaller.
 */
const maxBytes = 1024 * 1024;

/**
 * Validates a text of any length, such as the configuration of the demo. The schema must not be asynchronous.
 *
 * @param file the file name in problems
 * @throws InvalidFileError with all problems of the text
 */
export function parseYaml<S extends z.ZodType>(text: string, file: string, schema: S): z.output<S> {
  const document = readDocument(text, file);
  return outputOf(document, schema.safeParse(document.value, explainable));
}

/**
 * The output of the schema, if neither the document nor the schema found a problem.
 *
 * @throws InvalidFileError with the problems of the document and of the schema, in the order of the text
 */
function outputOf<T>(document: YamlDocument, result: z.ZodSafeParseResult<T>): T {
  if (result.success && document.problems.length === 0) return result.data;
  const issues = result.success ? [] : explainIssues(result.error.issues);
  const problems = issues.map((issue) => {
    return { ...document.placeOf(issue), path: formatPath(issue.path), message: issue.message };
  });
  problems.unshift(...document.problems);
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  throw new InvalidFileError(document.file, problems);
}
