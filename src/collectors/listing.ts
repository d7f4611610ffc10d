/** What kinds with a list of names share: what they store, compare, count and say, and when they ask again. */
import { z } from 'zod';
import type { Change, Difference } from '../model/change.ts';
import { compareInventories, type Inventory } from '../model/inventory.ts';
import { counter, type Family } from '../model/metric-family.ts';
import type { Counted, TargetRecord } from '../model/record.ts';
import { count } from '../model/stored.ts';
import { areInSameHour } from '../model/target.ts';

/** The known names of a list, and how often they changed. */
export interface Listing<Name extends string | number = string | number> {
  /** `null` before the first whole list. */
  readonly inventory: Inventory<Name> | null;
  readonly created: number;
  readonly deleted: number;
  readonly replaced: number;
}

/** The stored fields of a listing. */
export const listingFields = <T extends z.ZodType>(name: T) => ({
  inventory: z.object({ known: z.array(name), lacking: z.array(name) }).nullable(),
  created: count,
  deleted: count,
  replaced: count,
});

export const newListing: Listing<never> = { inventory: null, created: 0, deleted: 0, replaced: 0 };

/** How a kind calls what it lists. */
export interface ListingWords {
  /** The noun of the texts of changes: `version`. */
  readonly noun: string;
  /** The beginning of the kinds of changes: `template` makes `template-created`. */
  readonly change: string;
  /** The beginning of the names of metrics: `cvm_regions` makes `cvm_regions_appeared_total`. */
  readonly metric: string;
  readonly verbs: readonly [created: string, deleted: string];
  /** The operation that lists. */
  readonly operation: string;
}

/** Compares a list with the known names. */
export function compareListing<Name extends string | number>(
  before: Listing<Name>,
  names: readonly Name[],
  isWhole: boolean,
  { change, verbs }: ListingWords,
): { counted: Listing<Name>; known: readonly Name[]; differences: readonly Difference[] } {
  const compared = compareInventories(before.inventory, names, isWhole);
  const { created, deleted, replaced, next: inventory } = compared;
  return {
    counted: {
      inventory,
      created: before.created + created.length,
      deleted: before.deleted + deleted.length,
      replaced: before.replaced + (replaced ? 1 : 0),
    },
    known: inventory?.known ?? [],
    differences: [
      ...created.map((to) => ({ kind: `${change}-${verbs[0]}`, from: null, to })),
      ...deleted.map((from) => ({ kind: `${change}-${verbs[1]}`, from, to: null })),
      ...(replaced ? [{ kind: 'list-replaced', ...replaced }] : []),
    ],
  };
}

/** The texts of the changes of {@link compareListing}. */
export function listingTexts({ change, noun, verbs: [created, deleted] }: ListingWords) {
  return {
    [`${change}-${created}`]: ({ to }: Change) => `${noun} ${to ?? ''} ${created}`,
    [`${change}-${deleted}`]: ({ from }: Change) => `${noun} ${from ?? ''} ${deleted}`,
    'list-replaced': ({ from, to }: Change) =>
      `none of ${from ?? ''} known ${noun}s is listed, but ${to ?? ''} others are`,
  };
}

/** The counters of {@link compareListing}. */
export function listingFamilies<R extends TargetRecord<Counted & Listing>>({
  metric,
  operation,
  noun,
  verbs: [created, deleted],
}: ListingWords): readonly Family<R>[] {
  return [
    counter(
      `${metric}_${created}_total`,
      `How many ${noun}s ${operation} listed that were not known.`,
      (counted) => counted.created,
    ),
    counter(
      `${metric}_${deleted}_total`,
      `How many known ${noun}s ${operation} did not list in two successful polls in a row.`,
      (counted) => counted.deleted,
    ),
    counter(
      `${metric}_replaced_total`,
      `How often ${operation} listed other ${noun}s only, and none of the known ones.`,
      (counted) => counted.replaced,
    ),
  ];
}

/** Once an hour, and again in the next cycle while it fails or lacks a known name. */
export function isListDue(
  { counted, seen, target }: TargetRecord<Counted & Listing>,
  nowMs: number,
): boolean {
  const { failure, lastPoll } = seen.freshness;
  if (lastPoll === null || failure !== null || counted.inventory?.lacking.length) return true;
  return !areInSameHour(target, lastPoll.atMs, nowMs);
}
