/**
 * Why the service refused a launch: its codes, in the words of the parts. `collectors/price.ts` and the counts of failed
 * scaling activities use it.
 */
import { launchParts } from './parts/parts.ts';

/** The reason whose part lists the code; of several, the longest match. `null` for a code that none lists. */
export function reasonOfCode(code: string): string | null {
  const matches = launchParts
    .flatMap(({ reasons }) => Object.entries(reasons))
    .flatMap(([reason, { codes }]) => codes.map((listed) => ({ reason, listed })))
    .filter(({ listed }) =>
      listed.endsWith('*') ? code.startsWith(listed.slice(0, -1)) : code === listed,
    )
    .toSorted((a, b) => b.listed.length - a.listed.length);
  return matches[0]?.reason ?? null;
}
