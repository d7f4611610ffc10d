/** Decodes the bytes of a file as UTF-8, and explains what else they are. `read-yaml.ts` uses it for every YAML file. */
import { InvalidFileError, placeAfter } from './problem.ts';

/**
 * Decodes UTF-8. A byte order mark is left out.
 *
 * @param file the file name in problems
 * @throws InvalidFileError which names another encoding, or the place of a wrong byte
 */
export function decodeText(bytes: Buffer, file: string): string {
  const encoding = otherEncoding(bytes);
  if (encoding !== null) {
    const message = `the file is ${encoding}: save it as UTF-8`;
    throw new InvalidFileError(file, [{ ...placeAfter(''), path: '', message }]);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const [readable = ''] = new TextDecoder('utf-8').decode(bytes).split('\uFFFD', 1);
    const message = 'the file is not UTF-8 from here on: save it as UTF-8';
    throw new InvalidFileError(file, [{ ...placeAfter(readable), path: '', message }]);
  }
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
