/** Parses JSON from outside that may be damaged: `null` for a text that is no JSON. A schema then refuses it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
