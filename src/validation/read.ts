/** Reads YAML files with a schema, and reports the place of every mistake. */
import { readFile } from 'node:fs/promises';
import {
  LineCounter,
  isMap,
  isNode,
  isScalar,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import { messageOf } from '../model/errors.ts';
import { decodeText } from './decode.ts';
import { explainable, explainIssues, type ExplainedIssue } from './explain.ts';
import { InvalidFileError, formatPath, type Problem } from './problem.ts';

/**
 * Reads and validates a file.
 *
 * @throws InvalidFileError with all problems of the file, also when it cannot be read
 */
export async function readYamlFile<S extends z.ZodType>(
  file: string,
  schema: S,
): Promise<z.output<S>> {
  return readYaml(await readBytes(file), file, schema);
}

/**
 * Validates the bytes of a file.
 *
 * @param file the file name in problems
 * @throws InvalidFileError with all problems of the file
 */
export async function readYaml<S extends z.ZodType>(
  bytes: Buffer,
  file: string,
  schema: S,
): Promise<z.output<S>> {
  const read = readDocument(textOf(bytes, file), file);
  return valueOrThrow(read, await schema.safeParseAsync(read.value, explainable));
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const reason = messageOf(error);
    throw new InvalidFileError(file, `the file cannot be read: ${reason}`);
  }
}

/** The library takes about a second for this much on a slow machine. 10,000 accounts have less. */
const maxBytes = 4 * 1024 * 1024;

function textOf(bytes: Buffer, file: string): string {
  if (bytes.length > maxBytes) throw new InvalidFileError(file, 'the file is larger than 4 MiB');
  const decoded = decodeText(bytes);
  if (!decoded.ok) throw new InvalidFileError(file, [{ ...decoded.problem, path: '' }]);
  return decoded.text;
}

/**
 * Validates a text. The schema must not be asynchronous.
 *
 * @param file the file name in problems
 * @throws InvalidFileError with all problems of the text
 */
export function parseYaml<S extends z.ZodType>(text: string, file: string, schema: S): z.output<S> {
  const read = readDocument(text, file);
  return valueOrThrow(read, schema.safeParse(read.value, explainable));
}

/** A text that is YAML. */
interface ReadDocument {
  readonly file: string;
  readonly document: Document.Parsed;
  readonly value: unknown;
  /** The keys that appear twice. */
  readonly problems: readonly Problem[];
  /** The place of an offset in the text. */
  readonly placeAt: (offset: number) => Pick<Problem, 'line' | 'column'>;
}

function readDocument(text: string, file: string): ReadDocument {
  const tooDeep = offsetOfTooDeep(text);
  if (tooDeep !== null) {
    const before = text.slice(0, tooDeep).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    const problem = { line: before.length, column, path: '', message: 'is nested too deeply' };
    throw new InvalidFileError(file, [problem]);
  }
  const lines = new LineCounter();
  // The library would compare each key with all others of its map.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };

  const problemAt = (offset: number, message: string) => ({
    ...placeAt(offset),
    path: '',
    message,
  });
  const problems: Problem[] = [...document.errors, ...document.warnings].map((error) =>
    problemAt(error.pos[0], withoutSource(error.message)),
  );
  if (document.errors.length > 0) throw new InvalidFileError(file, problems);

  const unreadable = findUnreadable(document);
  if (unreadable !== null) {
    const { message, node } = unreadable;
    throw new InvalidFileError(file, [...problems, problemAt(node.range?.[0] ?? 0, message)]);
  }
  for (const key of repeatedKeys(document)) {
    problems.push(problemAt(key.range?.[0] ?? 0, 'this key appears twice in the same map'));
  }
  return { file, document, value: toValue(document, file), problems, placeAt };
}

/** Far more levels than any reader needs, and few enough for the library, whose time grows with their square. */
const maxOpen = 1_000;

/**
 * Where a text has opened very many brackets that it did not close, or begins very many lists in a line. `null` for
 * any other text.
 */
function offsetOfTooDeep(text: string): number | null {
  let open = 0;
  for (const { 0: bracket, index } of text.matchAll(/[[{}\]]/g)) {
    open = Math.max(0, open + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (open > maxOpen) return index;
  }
  const lists = text.search(/(?:[-?:][ \t]+){1000}/);
  return lists === -1 ? null : lists;
}

/** The keys that a map has already. */
function repeatedKeys(document: Document.Parsed): readonly Scalar[] {
  const repeated: Scalar[] = [];
  visit(document, {
    Map(_key, { items }) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) repeated.push(key);
        known.add(key.value);
      }
    },
  });
  return repeated;
}

/** @throws InvalidFileError with all problems of the document */
function valueOrThrow<T>(
  { placeAt, document, file, problems: found }: ReadDocument,
  result: z.ZodSafeParseResult<T>,
): T {
  const problems = [...found];
  if (!result.success) {
    const offsetOf = offsetFinder(document);
    for (const issue of explainIssues(result.error.issues)) {
      const offset = offsetOf(issue);
      problems.push({ ...placeAt(offset), path: formatPath(issue.path), message: issue.message });
    }
  }
  if (result.success && problems.length === 0) return result.data;
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  throw new InvalidFileError(file, problems);
}

/** More levels than a valid file has. Recursive code can still process this many. */
const maxDepth = 64;

/**
 * The first node that must not become a plain value. It is nested so deeply that recursion would overflow the
 * stack. Or it is a key that is a map or list: the library would write it as text again at each of its
 * levels.
 */
function findUnreadable(document: Document.Parsed): { node: Node; message: string } | null {
  let found: { node: Node; message: string } | null = null;
  visit(document, {
    Node(key, node, path) {
      if (path.length > maxDepth) {
        found = { node, message: 'is nested too deeply' };
      } else if (key === 'key' && !isPlain(node)) {
        found = { node, message: 'a key must be a text' };
      }
      return found === null ? undefined : visit.BREAK;
    },
  });
  return found;
}

function isPlain(node: Node): boolean {
  return isScalar(node) && (typeof node.value !== 'object' || node.value === null);
}

/** The document as plain values. Aliases are expanded, up to the bound of the library. */
function toValue(document: Document.Parsed, file: string): unknown {
  try {
    const value: unknown = document.toJS();
    return value;
  } catch (error) {
    const message = withoutSource(messageOf(error));
    throw new InvalidFileError(file, [{ line: 1, column: 1, path: '', message }]);
  }
}

/** A message of the library without its last part: this part may quote the text, and so a secret. */
function withoutSource(message: string): string {
  return message.replace(/(?<=[\w)]): .*$/s, '').replace(/(?<=escape sequence) .*$/s, '');
}

/** Finds the place of an issue in the text. A missing key is reported at the map where it is missing. */
function offsetFinder(document: Document.Parsed): (issue: ExplainedIssue) => number {
  // The library would look for each key in all keys of its map.
  const keysOf = new Map<unknown, ReadonlyMap<PropertyKey, Scalar>>();
  const keyIn = (map: YAMLMap, name: PropertyKey) => {
    const known = keysOf.get(map);
    if (known !== undefined) return known.get(name);
    const scalars = map.items.map(({ key }) => key).filter(isScalar);
    // Of a key that appears twice, the first counts.
    const entries = scalars.toReversed().map((key) => [keyOf(key), key] as const);
    const keys = new Map<PropertyKey, Scalar>(entries);
    keysOf.set(map, keys);
    return keys.get(name);
  };
  return (issue) => {
    let first = issue.path.length;
    if (issue.atKey) {
      first -= 1;
      const parent = nodeAt(document, issue.path.slice(0, -1));
      const key = isMap(parent) ? keyIn(parent, issue.path.at(-1) ?? '') : undefined;
      if (key !== undefined) return key.range?.[0] ?? 0;
    }
    for (let length = first; length >= 0; length -= 1) {
      const node = nodeAt(document, issue.path.slice(0, length));
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  };
}

/** A key as in the plain value. There, a null key is an empty text. */
function keyOf(key: Scalar): string {
  return key.value === null ? '' : String(key);
}

function nodeAt(document: Document.Parsed, path: readonly PropertyKey[]): unknown {
  try {
    return path.length === 0 ? document.contents : document.getIn(path, true);
  } catch {
    return undefined;
  }
}
