/** A string with the colon that makes it a key, or what opens or closes a value. */
const tokens = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/g;

/**
 * The first key that an object in a JSON text has twice. `JSON.parse` would take the last one of them.
 *
 * @param json a text that `JSON.parse` takes
 */
export function repeatedKey(json: string): string | null {
  const objects: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(tokens)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (text !== undefined && colon !== undefined) {
      const key = String(JSON.parse(`"${text}"`));
      const keys = objects.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return null;
}
