/**
 * Parses YAML for `read-yaml.ts` into a plain value, with the place of every key and value.
 *
 * 1. Refuse a text that the library would parse too slowly.
 * 2. Parse. A mistake of YAML ends the reading; warnings are kept as problems.
 * 3. Refuse nodes that are nested too deeply, and keys that are no texts.
 * 4. Note keys that appear twice as problems. Convert to a plain value.
 */
import {
  LineCounter,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { messageOf } from '../model/errors.ts';
import type { ExplainedIssue } from './explain.ts';
import { InvalidFileError, placeAfter, type Problem } from './problem.ts';

type LocatedIssue = Pick<ExplainedIssue, 'path' | 'atKey'>;

export type YamlDocument = ReturnType<typeof readDocument>;

/**
 * Parses YAML.
 *
 * @param file the file name in problems
 * @throws InvalidFileError if the text has no value: it is no YAML, is nested too deeply, or has a key that is no text
 */
export function readDocument(text: string, file: string) {
  const tooDeep = offsetOfTooDeep(text);
  if (tooDeep !== null) {
    const place = placeAfter(text.slice(0, tooDeep));
    throw new InvalidFileError(file, [{ ...place, path: '', message: 'is nested too deeply' }]);
  }
  const lines = new LineCounter();
  // The library would compare each key with all others of its map.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };

  const problemAt = (offset: number, message: string) => {
    return { ...placeAt(offset), path: '', message };
  };
  const problems: Problem[] = [...document.errors, ...document.warnings].map((error) =>
    problemAt(error.pos[0], withoutSource(error.message)),
  );
  if (document.errors.length > 0) throw new InvalidFileError(file, problems);

  const refuse = (node: Node, message: string) => {
    throw new InvalidFileError(file, [...problems, problemAt(offsetOf(node) ?? 0, message)]);
  };
  // A deeply nested node would overflow the stack in recursive code. A key that is a map or list would take a long time:
  // the library writes it as text again at each of its levels.
  visit(document, {
    Node(key, node, path) {
      if (path.length > maxDepth) refuse(node, 'is nested too deeply');
      if (key === 'key' && !isPlain(node)) refuse(node, 'a key must be a text');
    },
  });
  const { pairs, repeated } = pairsByKey(document);
  for (const key of repeated) {
    problems.push(problemAt(offsetOf(key) ?? 0, 'this key appears twice in the same map'));
  }
  try {
    const value: unknown = document.toJS();
    return {
      /** The file name in problems. */
      file,
      /** The document as maps, lists and scalars. Aliases are expanded, up to the bound of the library. */
      value,
      /** Problems with which the value can still be validated: keys that appear twice, and warnings of the library. */
      problems,
      /** The place of an issue in the text. For a missing key, the map where it is missing. */
      placeOf: (issue: LocatedIssue) => placeAt(offsetOfIssue(issue, document.contents, pairs)),
    };
  } catch (error) {
    throw new InvalidFileError(file, [problemAt(0, withoutSource(messageOf(error)))]);
  }
}

/** Open brackets, or lists begun in a line. The library's time grows with the square of their number. */
const maxOpen = 1_000;

/**
 * The offset at which a text has opened more than 1,000 brackets that it did not close, or begins 1,000 lists in a
 * line. `null` for any other text.
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

/** The pairs of each map by the text of their keys. Of a key that stands there twice, the first counts. */
type PairsByMap = ReadonlyMap<YAMLMap, ReadonlyMap<PropertyKey, Pair>>;

/**
 * The pairs of every map, and each key that stands a second time in its map. The library would look for each key in all
 * keys of its map.
 */
function pairsByKey(document: Document.Parsed) {
  const pairs = new Map<YAMLMap, ReadonlyMap<PropertyKey, Pair>>();
  const repeated: unknown[] = [];
  visit(document, {
    Map(_key, map) {
      const ofMap = new Map<string, Pair>();
      for (const pair of map.items) {
        const key = keyText(pair.key);
        if (ofMap.has(key)) repeated.push(pair.key);
        else ofMap.set(key, pair);
      }
      pairs.set(map, ofMap);
    },
  });
  return { pairs, repeated };
}

/** Levels of maps and lists: more than a valid file has, and few enough for recursive code. */
const maxDepth = 64;

/** True for a text, a number, a boolean or null. */
function isPlain(node: Node): boolean {
  return isScalar(node) && (typeof node.value !== 'object' || node.value === null);
}

/** A message of the library without its last part: this part may quote the text, and so a secret. */
function withoutSource(message: string): string {
  return message.replace(/(?<=[\w)]): .*$/s, '').replace(/(?<=escape sequence) .*$/s, '');
}

/** The offset of an issue in the text: of its key or value, or else of the nearest map or list around it. */
function offsetOfIssue({ atKey, path }: LocatedIssue, root: unknown, pairs: PairsByMap): number {
  let node = root;
  let offset = offsetOf(node) ?? 0;
  for (const [i, part] of path.entries()) {
    const pair = isMap(node) ? pairs.get(node)?.get(part) : undefined;
    if (atKey && i === path.length - 1) return offsetOf(pair?.key) ?? offset;
    node = isSeq(node) ? node.items[Number(part)] : pair?.value;
    offset = offsetOf(node) ?? offset;
  }
  return offset;
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The name of a key in the plain value, where a null key has an empty name. */
function keyText(key: unknown): string {
  return isScalar(key) && key.value !== null ? String(key) : '';
}
