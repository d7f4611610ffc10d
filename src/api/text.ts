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

/** The text without the given secrets, in plain or percent-encoded form. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .reduce((result, secret) => result.replaceAll(secret, '[redacted]'), text);
}
