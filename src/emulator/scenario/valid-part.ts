/** Removes invalid elements from the lists of a scenario. The rest stays valid. */
const lists = new Set(['accounts', 'regions', 'zones', 'launch_templates', 'timeline', 'faults']);
/** Without a role, an account can take other requests. So only a whole element is removed, such as a duplicate. */
const wholeOnly = new Set(['roles', 'oidc_providers']);

export interface ValidPart {
  readonly value: unknown;
  /** The removed elements, as JSON. */
  readonly leftOut: readonly string[];
  /** Turns a path in the valid part into a path in the whole. */
  readonly originalPath: (path: readonly PropertyKey[]) => PropertyKey[];
}

/** The scenario without the list elements that have mistakes. */
export function validPart(
  whole: unknown,
  mistakes: readonly (readonly PropertyKey[])[],
): ValidPart {
  const dropped = new Set(mistakes.map((path) => JSON.stringify(elementOf(path))));
  const isDropped = (path: readonly PropertyKey[]) => dropped.has(JSON.stringify(path));
  // Only the path to a mistake is copied, because a YAML value can contain itself.
  const leadsToMistake = new Set(
    mistakes.flatMap((path) => path.map((_part, end) => JSON.stringify(path.slice(0, end)))),
  );
  const leftOut: string[] = [];

  const keep = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (!leadsToMistake.has(JSON.stringify(path))) return value;
    const isKept = ([key, inner]: readonly [string | number, unknown]) => {
      if (!isDropped([...path, key])) return true;
      leftOut.push(jsonOf(inner));
      return false;
    };
    if (Array.isArray(value)) {
      const entries: (readonly [number, unknown])[] = [...value.entries()];
      return entries.filter(isKept).map(([index, inner]) => keep(inner, [...path, index]));
    }
    const entries: (readonly [string, unknown])[] = Object.entries(value);
    return Object.fromEntries(
      entries.filter(isKept).map(([key, inner]) => [key, keep(inner, [...path, key])]),
    );
  };

  const originalPath = (path: readonly PropertyKey[]) =>
    path.reduce<PropertyKey[]>((original, part) => {
      if (typeof part !== 'number') return [...original, part];
      let index = -1;
      for (let toPass = part; toPass >= 0;) {
        index += 1;
        if (!isDropped([...original, index])) toPass -= 1;
      }
      return [...original, index];
    }, []);

  return { value: mistakes.length === 0 ? whole : keep(whole, []), leftOut, originalPath };
}

/** Empty for a value that contains itself. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

/** The innermost list element on the path. Without one, the key of the scenario. */
function elementOf(path: readonly PropertyKey[]): readonly PropertyKey[] {
  const end = path.findLastIndex((part, at) => {
    const list = path[at - 1];
    if (typeof part !== 'number' || typeof list !== 'string') return false;
    return lists.has(list) || (wholeOnly.has(list) && at === path.length - 1);
  });
  return end === -1 ? path.slice(0, 1) : path.slice(0, end + 1);
}
