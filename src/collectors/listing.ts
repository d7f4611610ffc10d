/**
 * What the kinds share that compare a list of names with the known ones (regions, templates, versions of a template):
 * stored fields, comparison, counters, texts of changes, and when to poll again. Each of the kinds calls
 * {@link listingOf} once.
 */
import { z } from 'zod';
import type { Difference } from '../model/change.ts';
import { compareInventories, type Inventory } from '../model/inventory.ts';
import { durableCounter, type Family } from '../model/metric-family.ts';
import type { Durable, TargetRecord } from '../model/record.ts';
import { count } from '../model/stored.ts';
import { areInSameHour } from '../model/target.ts';

/** The known names of a list, and how often they changed. */
interface Listing<Name extends string | number = string | number> {
  /** `null` before the first whole list. */
  readonly inventory: Inventory<Name> | null;
  /** How many names appeared, and how many disappeared. Neither counts a list that was replaced. */
  readonly created: number;
  readonly deleted: number;
  /** How often a list had none of the known names, but others. */
  readonly replaced: number;
}

/** The words with which a kind names what it lists. */
interface ListingWords {
  /** The noun of the texts of changes: `version`. */
  readonly noun: string;
  /** The beginning of the kinds of changes: `template` makes `template-created`. Default: the noun. */
  readonly change?: string;
  /** The beginning of the names of metrics: `cvm_regions` makes `cvm_regions_appeared_total`. */
  readonly metric: string;
  /** What happens to a name, in texts and names of metrics: `created` and `deleted`, or `appeared` and `disappeared`. */
  readonly verbs: readonly [created: string, deleted: string];
  /** The operation that lists. */
  readonly operation: string;
}

/**
 * Returns what a collector needs to compare a list of names with the known ones.
 *
 * @param name the schema of a name
 */
export function listingOf<Name extends string | number>(
  name: z.ZodType<Name>,
  { metric, noun, change = noun, operation, verbs: [created, deleted] }: ListingWords,
) {
  /** The counters of {@link compare}. */
  const families: readonly Family<TargetRecord<Durable & Listing>>[] = [
    durableCounter(
      `${metric}_${created}_total`,
      `How many ${noun}s ${operation} listed that were not known.`,
      (durable) => durable.created,
    ),
    durableCounter(
      `${metric}_${deleted}_total`,
      `How many known ${noun}s ${operation} did not list in two successful polls in a row.`,
      (durable) => durable.deleted,
    ),
    durableCounter(
      `${metric}_replaced_total`,
      `How often ${operation} listed other ${noun}s only, and none of the known ones.`,
      (durable) => durable.replaced,
    ),
  ];

  /**
   * Compares a list with the known names, by {@link compareInventories}.
   *
   * @param names the names in the answer, without duplicates
   * @param isWhole whether the answer has all names: else a name that it does not have is still known
   * @returns `durable`: the next values of {@link Listing}; `known`: the names that are known now, ascending
   */
  function compare(before: Listing<Name>, names: readonly Name[], isWhole: boolean) {
    const compared = compareInventories(before.inventory, names, isWhole);
    const { next: inventory, replaced } = compared;
    const differences: readonly Difference[] = [
      ...compared.created.map((to) => ({ kind: `${change}-${created}`, from: null, to })),
      ...compared.deleted.map((from) => ({ kind: `${change}-${deleted}`, from, to: null })),
      ...(replaced ? [{ kind: 'list-replaced', ...replaced }] : []),
    ];
    const durable: Listing<Name> = {
      inventory,
      created: before.created + compared.created.length,
      deleted: before.deleted + compared.deleted.length,
      replaced: before.replaced + (replaced ? 1 : 0),
    };
    return { durable, known: inventory?.known ?? [], differences };
  }

  return {
    compare,
    families,
    /** The fields of the durable half that {@link compare} reads and returns. */
    fields: {
      inventory: z
        .object({ known: z.array(name), lacking: z.array(name) })
        .nullable()
        .default(null),
      created: count.default(0),
      deleted: count.default(0),
      replaced: count.default(0),
    },
    /** The texts of the changes of {@link compare}. */
    changeTexts: {
      [`${change}-${created}`]: `${noun} {to} ${created}`,
      [`${change}-${deleted}`]: `${noun} {from} ${deleted}`,
      'list-replaced': `none of {from} known ${noun}s is listed, but {to} others are`,
    },
  };
}

/** Whether a cycle polls a list: once an hour, and in every cycle while it fails or lacks a known name. */
export function isListDue(
  { durable, observed, target }: TargetRecord<Durable & Listing>,
  nowMs: number,
): boolean {
  const { failure, lastPoll } = observed.freshness;
  if (lastPoll === null || failure !== null || durable.inventory?.lacking.length) return true;
  return !areInSameHour(target, lastPoll.atMs, nowMs);
}
