/** Makes text from outside safe for a log line or a label. */

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu;

/** The text in one printable line of at most `maxLength` characters. */
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
/** A part of a secret of this length is removed, too. */
const partLength = 12;

const replacement = '[redacted]';

/**
 * The text without the given secrets, and without parts of them of 12 characters. Also removes their percent-
 * encoded, Base64 and hexadecimal forms. The work grows with the text, so cut a long one first.
 */
export function redacted(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret.length >= shortestSecret).flatMap(formsOf);
  let result = '';
  let at = 0;
  while (at < text.length) {
    const end = endOfSecret(text, at, forms);
    if (end === at) {
      result += text.charAt(at);
      at += 1;
    } else {
      if (!result.endsWith(replacement)) result += replacement;
      at = end;
    }
  }
  return result;
}

/** The end of the secret, or of the part of one, that begins at an index. The index itself if there is none. */
function endOfSecret(text: string, at: number, forms: readonly string[]): number {
  let end = at;
  for (const form of forms) {
    const needed = Math.min(partLength, form.length);
    const piece = text.slice(at, at + needed);
    if (piece.length < needed || !form.includes(piece)) continue;
    let length = needed;
    while (at + length < text.length && form.includes(text.slice(at, at + length + 1))) length += 1;
    end = Math.max(end, at + length);
  }
  return end;
}

/** A secret as it can appear in a text. In Base64 it can begin at each of three places of a group. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]);
    // The first and the last characters depend on what is around the secret.
    const whole = encoded.toString('base64').slice(offset === 0 ? 0 : offset + 1);
    const inner = whole.replace(/.?=*$/, '');
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const forms = [secret, encodeURIComponent(secret), hex, hex.toUpperCase(), ...base64];
  return [...new Set(forms)].filter((form) => form.length >= shortestSecret);
}
