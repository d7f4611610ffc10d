/** What is known to exist in a list, although some of its rows cannot be read. Pure. */

/**
 * The rows that are known to exist: the names that are known, and the number of rows without a known
 * name.
 */
export interface Inventory<Name extends string | number> {
  /** Each once, ascending. */
  readonly known: readonly Name[];
  readonly unidentified: number;
}

export interface InventoryComparison<Name extends string | number> {
  readonly created: readonly Name[];
  readonly deleted: readonly Name[];
  readonly next: Inventory<Name>;
}

/** The inventory that a first answer gives. */
export function baselineInventory<Name extends string | number>(
  read: readonly Name[],
  unidentified: number,
): Inventory<Name> {
  return { known: read.toSorted(ascending), unidentified };
}

/**
 * Compares a list with what was known of it, and reports only the changes that must have happened: of all
 * explanations it takes one with the fewest changes. A name that was read for the first time may be a row
 * that was unidentified before; a name that is missing may be a row that is unidentified now.
 *
 * When unidentified rows can explain all missing names, these names stay known. When they can explain
 * only some, the lowest missing names count as deleted, and the others become unidentified. Of newly read
 * names, the highest count as created.
 *
 * @param read the names in the answer, each once
 * @param unidentifiedNow how many rows of the answer have no name that can be read
 */
export function compareInventories<Name extends string | number>(
  before: Inventory<Name>,
  read: readonly Name[],
  unidentifiedNow: number,
): InventoryComparison<Name> {
  const known = new Set(before.known);
  const present = new Set(read);
  const appeared = read.filter((name) => !known.has(name)).toSorted(ascending);
  const missing = before.known.filter((name) => !present.has(name)).toSorted(ascending);

  // How many rows stay unidentified: the number that explains the most, and of equal ones the highest, so
  // that a row that can never be read does not hide a change of another row.
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
    next: baselineInventory([...read, ...kept], unidentifiedNow - kept.length),
  };
}

function ascending(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
