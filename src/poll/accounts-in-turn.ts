/**
 * The first item of each account, then the second of each account, and so on. The accounts then share the
 * beginning of a cycle, and the next request of an account can use the connection of the one before. Pure.
 */
export function accountsInTurn<T>(items: readonly T[], accountOf: (item: T) => string): T[] {
  const counts = new Map<string, number>();
  const numbered = items.map((item) => {
    const account = accountOf(item);
    const number = counts.get(account) ?? 0;
    counts.set(account, number + 1);
    return { item, number };
  });
  return numbered.toSorted((a, b) => a.number - b.number).map(({ item }) => item);
}
