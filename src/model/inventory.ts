/**
 * What answers lack, and how lists of names are compared, such as regions, templates or versions. Collectors call it;
 * `quota-history.ts` counts missing quotas by the same rule. Pure.
 */

import { z } from 'zod';
import { count, text, type Stored } from './stored.ts';

/**
 * What an answer says of a name. `lacking`: a whole answer does not name it. `possible`: an answer that is not whole may
 * have it, such as in a row that cannot be read.
 */
type Presence = 'named' | 'lacking' | 'possible';

/** How many whole answers in a row must lack something before it counts as absent. */
export const pollsToAbsent = 2;

/**
 * The one rule for what answers lack, whatever they are about: it is unknown first, and absent when so many whole answers in
 * a row lack it. An answer that may have it counts neither way.
 *
 * @param before how many answers in a row lacked it before
 * @param polls the number from which on it is absent; no higher one is counted
 * @returns how many answers in a row lack it now
 */
export function lackedAfter(before: number, presence: Presence, polls = pollsToAbsent): number {
  if (presence === 'named') return 0;
  return presence === 'lacking' ? Math.min(before + 1, polls) : before;
}

/** The names that a target asks for and its last answer did not name. `polls`: how many whole answers in a row lacked each. */
export const lackingSchema = z.array(z.object({ id: text, polls: count }));
export type Lacking = Stored<typeof lackingSchema>;

/**
 * What answers lack after one more, by {@link lackedAfter}.
 *
 * @param ids what the poll asked for; any other name is forgotten
 */
export function lackingAfter(
  before: Lacking,
  ids: readonly string[],
  presenceOf: (id: string) => Presence,
): Lacking {
  const polls = new Map(before.map((each) => [each.id, each.polls]));
  return ids.flatMap((id) => {
    const presence = presenceOf(id);
    if (presence === 'named') return [];
    return { id, polls: lackedAfter(polls.get(id) ?? 0, presence) };
  });
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
  const lackedBefore = new Set(before.lacking);
  const unlisted = before.known.filter((name) => !listed.has(name));
  const presence = isWhole ? 'lacking' : 'possible';
  // The names that whole lists lack for exactly so many polls now.
  const lackedFor = (polls: number) =>
    unlisted.filter((name) => lackedAfter(lackedBefore.has(name) ? 1 : 0, presence) === polls);
  const lackingOnce = lackedFor(1);
  if (!isWhole) return { ...unchanged, next: { known: before.known, lacking: lackingOnce } };
  // A list with none of the known names is of something else, such as another account.
  if (names.length > 0 && unlisted.length > 0 && unlisted.length === before.known.length) {
    const replaced = { from: before.known.length, to: names.length };
    return { ...unchanged, replaced, next: whole };
  }
  const knownBefore = new Set(before.known);
  return {
    created: whole.known.filter((name) => !knownBefore.has(name)),
    deleted: lackedFor(pollsToAbsent),
    replaced: null,
    next: { known: ascending([...names, ...lackingOnce]), lacking: lackingOnce },
  };
}

/**
 * The names that a kind polls after a list: those that it polled before and that may exist, in their order, then the others.
 * A list that is not whole removes none. Its new names are polled at once, although they are not known yet.
 *
 * @param before the names that were polled before the list
 * @param names the names in the list
 * @param known the names that are known after the list, by {@link compareInventories}
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
