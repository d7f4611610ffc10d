/** The "did you mean" hints in messages about unknown keys, values and flags. */

/**
 * The candidate that is most similar to `word`.
 *
 * @returns `null` when no candidate is similar: more than a third of the word would have to change
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  // The time of a distance grows with both lengths, and a word from a file can be very long.
  const start = word.slice(0, 64);
  const maxDistance = Math.max(1, Math.floor(word.length / 3));
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(start, candidate) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate ?? null;
}

/** The end of a message about an unknown word: `; did you mean X?`, or an empty text when no candidate is similar. */
export function suggestion(word: unknown, candidates: readonly string[]): string {
  const near = typeof word === 'string' ? nearest(word, candidates) : null;
  return near === null ? '' : `; did you mean ${near}?`;
}

/** The Levenshtein distance: the number of insertions, deletions and substitutions from `a` to `b`. */
function editDistance(a: string, b: string): number {
  // Row i of a table: the distances from the first i characters of `a` to each beginning of `b`.
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const newRow = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      newRow.push(Math.min((row[j] ?? 0) + 1, (newRow[j - 1] ?? 0) + 1, substitution));
    }
    row = newRow;
  }
  return row[b.length] ?? 0;
}
