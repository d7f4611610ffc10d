/**
 * The first key that an object in a JSON text has twice. `JSON.parse` would silently use the last one.
 *
 * @param json a text that `JSON.parse` accepts
 */
export function repeatedKey(json: string): string | null {
  const objects: Set<string>[] = [];
  const structure = /["{}]/g;
  for (let match = structure.exec(json); match !== null; match = structure.exec(json)) {
    if (match[0] === '{') objects.push(new Set());
    else if (match[0] === '}') objects.pop();
    else {
      const end = endOfString(json, match.index);
      structure.lastIndex = end;
      if (!isFollowedByColon(json, end)) continue;
      const key = String(JSON.parse(json.slice(match.index, end)));
      const keys = objects.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return null;
}

/** A loop, because a regular expression for a whole string overflows the stack for a long string. */
function endOfString(json: string, start: number): number {
  let quote = start;
  do quote = json.indexOf('"', quote + 1);
  while (quote !== -1 && isEscaped(json, quote));
  return quote === -1 ? json.length : quote + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

function isFollowedByColon(json: string, end: number): boolean {
  const next = /\s*(:?)/y;
  next.lastIndex = end;
  return next.exec(json)?.[1] === ':';
}
