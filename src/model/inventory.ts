/** What answers lack, and how lists of names are compared, such as regions, templates or versions. Pure. */

/** An answer that may lack names. */
interface AnsweredNames<Name> {
  /** The names that it should have. */
  readonly expected: Iterable<Name>;
  readonly isNamed: (name: Name) => boolean;
  /** Whether the answer would have the name if it existed: else its absence proves nothing. */
  readonly isWhole: (name: Name) => boolean;
}

/** The whole answers in a row that lack what then is absent. Before, it is unknown. */
export const pollsToAbsent = 2;

/**
 * The one rule for what answers lack, whatever they are about: it is unknown first, and absent when so many whole answers in
 * a row lack it. An answer that is not whole counts neither way.
 *
 * @param before how many whole answers in a row lacked each name
 * @param polls the number from which on a name is absent; no higher one is counted
 * @returns `lacking`: the expected names that the answers lack, with the numbers after the answer; `absent`: those of them that
 *   the answer shows to be absent
 */
export function lackingAfter<Name>(
  before: ReadonlyMap<Name, number>,
  { expected, isNamed, isWhole }: AnsweredNames<Name>,
  polls = pollsToAbsent,
): { readonly lacking: ReadonlyMap<Name, number>; readonly absent: ReadonlySet<Name> } {
  const lacking = new Map<Name, number>();
  const absent = new Set<Name>();
  for (const name of expected) {
    if (isNamed(name)) continue;
    const answers = Math.min((before.get(name) ?? 0) + (isWhole(name) ? 1 : 0), polls);
    if (answers > 0) lacking.set(name, answers);
    if (answers === polls && isWhole(name)) absent.add(name);
  }
  return { lacking, absent };
}

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
  const isListed = (name: Name) => listed.has(name);
  const { absent, lacking } = lackingAfter(new Map(before.lacking.map((name) => [name, 1])), {
    expected: before.known,
    isNamed: isListed,
    isWhole: () => isWhole,
  });
  const lackingOnce = [...lacking.keys()].filter((name) => !absent.has(name));
  if (!isWhole) return { ...unchanged, next: { known: before.known, lacking: lackingOnce } };
  if (names.length > 0 && before.known.length > 0 && !before.known.some(isListed)) {
    const replaced = { from: before.known.length, to: names.length };
    return { ...unchanged, replaced, next: whole };
  }
  const known = new Set(before.known);
  return {
    created: whole.known.filter((name) => !known.has(name)),
    deleted: [...absent],
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
