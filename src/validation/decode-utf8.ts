/** Decodes the bytes of a file as UTF-8, and explains what else they are. `read-yaml.ts` uses it for every YAML file. */
import type { Problem } from './problem.ts';

export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: Omit<Problem, 'path'> };

/** Decodes UTF-8. A byte order mark is left out. The problem names another encoding, or the place of a wrong byte. */
export function decodeText(bytes: Buffer): Decoded {
  const encoding = otherEncoding(bytes);
  if (encoding !== null) {
    return undecodable(1, 1, `the file is ${encoding}: save it as UTF-8`);
  }
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const { line, column } = placeOfInvalidByte(bytes);
    return undecodable(line, column, 'the file is not UTF-8 from here on: save it as UTF-8');
  }
}

function undecodable(line: number, column: number, message: string): Decoded {
  return { ok: false, problem: { line, column, message } };
}

/** Another encoding by its byte order mark, or by a zero byte beside the first character. `null` for none of them. */
function otherEncoding(bytes: Buffer): string | null {
  const [a, b, c, d] = bytes;
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe)) {
    return 'UTF-32';
  }
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return 'UTF-16';
  if (bytes.length >= 2 && (a === 0) !== (b === 0)) return 'UTF-16';
  return null;
}

/** The end of what can be decoded. */
function placeOfInvalidByte(bytes: Buffer): { line: number; column: number } {
  const readable = new TextDecoder('utf-8').decode(bytes).split('\uFFFD', 1)[0] ?? '';
  const lines = readable.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
