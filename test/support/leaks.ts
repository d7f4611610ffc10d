/** Secrets in a text, in any form in which a program could write them. */
const partLength = 12;

/** A secret as a program could write it: plain, percent-encoded, Base64 at each of three places, hexadecimal. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : offset + 1)
      .replace(/.?=*$/, ''),
  );
  const forms = [secret, encodeURIComponent(secret), bytes.toString('hex'), ...base64];
  return [...forms, bytes.toString('hex').toUpperCase(), ...base64.map(forAddresses)];
}

const forAddresses = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_');

/**
 * The parts of 12 characters of any form of a secret that are in a text. Empty if it leaks none.
 *
 * @param secrets of at least 12 characters
 */
export function leaks(text: string, secrets: readonly string[]): string[] {
  const parts = new Set<string>();
  for (const form of secrets.flatMap(formsOf)) {
    for (let at = 0; at + partLength <= form.length; at += 1) {
      parts.add(form.slice(at, at + partLength));
    }
  }
  const found = new Set<string>();
  for (let at = 0; at + partLength <= text.length; at += 1) {
    const part = text.slice(at, at + partLength);
    if (parts.has(part)) found.add(part);
  }
  return [...found];
}
