/** What is known to exist of a list whose rows cannot always be read. Pure. */

/** The rows known to exist: those whose name is known, and how many are known by their number alone. */
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
 * Compares a list with what was known of it, and tells only the changes that must have happened: of
 * all explanations it takes one with the fewest. A name that was read for the first time may be a
 * row that was unidentified before; a name that is missing may be a row that is unidentified now.
 *
 * Where as many names are missing as rows may hide, they stay known. Where some are certainly gone
 * and some may hide, which of them is unknown: the lowest are called deleted, the others become
 * unidentified. Of newly read names the highest are called created.
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

  // The rows that stay unidentified: as many as explain the most, and among equals the most, so that
  // a row that can never be read hides no change of another.
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
