/** The names of a list, such as regions, templates or versions, and how lists are compared. Pure. */

/** The names that are known to exist. */
export interface Inventory<Name extends string | number> {
  /** Without duplicates, ascending. */
  readonly known: readonly Name[];
  /**
   * The known names that the last whole list lacked, and that no list has had since. Those that the next whole list lacks
   * too are deleted.
   */
  readonly lacking: readonly Name[];
}

/**
 * Compares a list with the known names. A name is deleted when two whole lists in a row lack it, because a list that
 * changes while its pages are read may lack a name that exists. A list that is not whole keeps the known names.
 *
 * @param before `null` before the first whole list, which is the baseline and gives no change
 * @param names the names in the list, without duplicates
 * @param isWhole whether the list has every name that exists
 * @returns the created and the deleted names; `replaced`: the numbers of names before and after, if the list has none of
 *   the known names; and `next`: the names that are known now, `null` until a whole list was read
 */
export function compareInventories<Name extends string | number>(
  before: Inventory<Name> | null,
  names: readonly Name[],
  isWhole: boolean,
) {
  const listed = new Set(names);
  const unchanged = { created: [], deleted: [], replaced: null };
  const whole = { known: ascending(names), lacking: [] };
  if (before === null) return { ...unchanged, next: isWhole ? whole : null };
  if (!isWhole) {
    const lacking = before.lacking.filter((name) => !listed.has(name));
    return { ...unchanged, next: { known: before.known, lacking } };
  }
  const lacking = before.known.filter((name) => !listed.has(name));
  if (names.length > 0 && lacking.length > 0 && lacking.length === before.known.length) {
    const replaced = { from: before.known.length, to: names.length };
    return { ...unchanged, replaced, next: whole };
  }
  const known = new Set(before.known);
  const lackedBefore = new Set(before.lacking);
  const lackingOnce = lacking.filter((name) => !lackedBefore.has(name));
  return {
    created: whole.known.filter((name) => !known.has(name)),
    deleted: lacking.filter((name) => lackedBefore.has(name)),
    replaced: null,
    next: { known: ascending([...names, ...lackingOnce]), lacking: lackingOnce },
  };
}

/**
 * The names that a kind polls after a list: those that it polled before and that may exist, then the others. A list that is
 * not whole removes none, and adds its names before they are known.
 *
 * @param before the names that were polled before the list
 * @param names the names in the list
 */
export function namesToPoll<Name extends string | number>(
  before: readonly Name[],
  names: readonly Name[],
  { known, isWhole }: { readonly known: readonly Name[]; readonly isWhole: boolean },
): readonly Name[] {
  const existing = new Set([...known, ...names]);
  const stillPolled = isWhole ? before.filter((name) => existing.has(name)) : before;
  return [...new Set([...stillPolled, ...existing])];
}

function ascending<Name extends string | number>(names: readonly Name[]): readonly Name[] {
  return names.toSorted((a, b) => (a < b ? -1 : 1));
}
