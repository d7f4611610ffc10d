/** The known content of a list with unreadable rows. Pure. */

/**
 * The rows that are known to exist: the known names, and the number of rows without a known name.
 */
export interface Inventory<Name extends string | number> {
  /** Without duplicates, ascending. */
  readonly known: readonly Name[];
  readonly unidentified: number;
}

export interface InventoryComparison<Name extends string | number> {
  readonly created: readonly Name[];
  readonly deleted: readonly Name[];
  /** Missing names of which only some were deleted. Which of them is not known. */
  readonly unclear: readonly Name[];
  readonly next: Inventory<Name>;
}

/**
 * Compares a list with the known content, and reports only changes that must have happened. Of all
 * explanations it uses one with the fewest changes. A name that is read for the first time may be a row that
 * was unidentified before. A name that is missing may be a row that is unidentified now.
 *
 * If unidentified rows can explain all missing names, these names stay known. If they can explain only some,
 * the lowest missing names count as deleted, and the others become unidentified. Of the newly read names, the
 * highest count as created.
 *
 * @param before `null` for a first answer, which is the baseline and gives no change
 * @param read the names in the answer, without duplicates
 * @param unidentifiedNow number of rows with an unreadable name in the answer
 */
export function compareInventories<Name extends string | number>(
  before: Inventory<Name> | null,
  read: readonly Name[],
  unidentifiedNow: number,
): InventoryComparison<Name> {
  if (before === null) {
    return { created: [], deleted: [], unclear: [], next: inventoryOf(read, unidentifiedNow) };
  }
  const known = new Set(before.known);
  const present = new Set(read);
  const appeared = read.filter((name) => !known.has(name)).toSorted(ascending);
  const missing = before.known.filter((name) => !present.has(name)).toSorted(ascending);

  // The number of rows that stay unidentified: the number that explains the most. Of equal numbers the
  // highest, so that a permanently unreadable row does not hide a change of another row.
  const unbound = Math.max(
    before.unidentified - appeared.length,
    unidentifiedNow - missing.length,
    0,
  );
  const staying = Math.min(before.unidentified, unidentifiedNow, unbound);
  const identified = Math.min(appeared.length, before.unidentified - staying);
  const hidden = Math.min(missing.length, unidentifiedNow - staying);

  const kept = hidden === missing.length ? missing : [];
  return {
    created: appeared.slice(identified),
    deleted: missing.slice(0, missing.length - hidden),
    unclear: hidden > 0 && hidden < missing.length ? missing : [],
    next: inventoryOf([...read, ...kept], unidentifiedNow - kept.length),
  };
}

/**
 * The names to watch after a comparison. Watched names stay, and the others follow. A name that may be in a row
 * without a readable name stays too, also if it may be the one that was deleted. It is watched, but not known.
 */
export function watchedNames<Name extends string | number>(
  watched: readonly Name[],
  before: Inventory<Name> | null,
  { next, unclear }: Pick<InventoryComparison<Name>, 'next' | 'unclear'>,
): readonly Name[] {
  const staying = new Set([...next.known, ...unclear]);
  const knownBefore = new Set(before?.known ?? watched);
  const mayExist = (name: Name) => next.unidentified > 0 && !knownBefore.has(name);
  const kept = watched.filter((name) => staying.has(name) || mayExist(name));
  return [...new Set([...kept, ...next.known])];
}

function inventoryOf<Name extends string | number>(
  read: readonly Name[],
  unidentified: number,
): Inventory<Name> {
  const isAscending = read.every((name, i) => i === 0 || (read[i - 1] ?? name) < name);
  // Mostly the same list. Memory then holds it once.
  return { known: isAscending ? read : read.toSorted(ascending), unidentified };
}

/** For a list without duplicates. */
function ascending(a: string | number, b: string | number): number {
  return a < b ? -1 : 1;
}
