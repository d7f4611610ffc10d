/**
 * What a record remembers of its quotas: their last known limits, and how often they changed. `advance()` compares each
 * answer with it, for all kinds: a collector only says in a `QuotaReading` what its answer lacks. `expose/evaluation.ts`
 * shows the last known numbers. Pure. A quota of a set that answers hold whole goes through these states:
 *
 * - known: `isKnown`, and `absence` is `null`;
 * - missing, in the first three polls that lack it: `isKnown`, with an `absence`;
 * - disappeared, from the fourth poll on: not `isKnown`, with the time in `absence`;
 * - forgotten, as not selected, or as of another account: not `isKnown`, without an `absence`.
 */
import { z } from 'zod';
import type { Difference } from './change.ts';
import { lackedAfter } from './inventory.ts';
import {
  amount,
  namedQuotaSchema,
  quotaKey,
  quotaNameOf,
  uniqueQuotas,
  type NamedQuota,
  type Quota,
  type QuotaName,
} from './quota.ts';
import { count, text, timeMs, type Stored } from './stored.ts';
import { canBeJudged } from './thresholds.ts';

/** The history of a quota. A record keeps it while the quota is absent. */
const quotaHistorySchema = namedQuotaSchema.extend({
  /** The last known limit. `null` if it was never read, or if it belonged to another account. */
  limit: amount.nullable(),
  raised: count,
  lowered: count,
  /** When the last change in each direction was found. */
  raisedAtMs: timeMs.nullable(),
  loweredAtMs: timeMs.nullable(),
  /** How often the quota disappeared. */
  disappeared: count,
  /** Whether the service has the quota, as far as answers say. `false` once it disappeared or is not selected any more. */
  isKnown: z.boolean(),
  /** `null` while the answers have the quota, or may have it in an unreadable row. */
  absence: z
    .object({
      /** Successful polls in a row that lacked the quota. */
      polls: count,
      /** When the quota counted as disappeared. `null` while it is missing. */
      disappearedAtMs: timeMs.nullable(),
    })
    .nullable(),
});
export type QuotaHistory = Stored<typeof quotaHistorySchema>;

/** The history of a quota that no answer had before. Its name and unit are added. */
const neverRead = {
  limit: null,
  raised: 0,
  lowered: 0,
  raisedAtMs: null,
  loweredAtMs: null,
  disappeared: 0,
  isKnown: false,
  absence: null,
};

/** The fields of the durable half of every record about quotas. */
export const durableQuotaFields = {
  /** Of the quotas of the snapshot in its order, then of absent ones. */
  histories: uniqueQuotas(quotaHistorySchema),
  /** The sets that an answer held whole since the selection last changed. A quota of these sets that is not known is new. */
  wholeSets: z.array(text).default([]),
};
export type DurableQuotas = Stored<z.ZodObject<typeof durableQuotaFields>>;

/** How many polls in a row must lack a quota before it has disappeared. Until then it is missing. */
const pollsToDisappear = 4;
/** How long a quota that disappeared is shown. */
const goneShownMs = 7 * 24 * 3_600_000;
/** Maximum number of absent quotas in a record. */
export const maxAbsentQuotas = 1_000;

/** What an answer says about quotas, and how much of the sets to which they belong it could tell. */
export interface QuotaReading {
  readonly quotas: readonly Quota[];
  /** The quotas that the answer names, but whose numbers cannot be read. Default: none. */
  readonly unreadable?: readonly NamedQuota[];
  /** The sets that the answer holds whole: what it does not name of them is missing. Default: the only set. */
  readonly wholeSets?: readonly string[];
  /** The set of a quota. Default: all are in one. */
  readonly setOf?: (quota: QuotaName) => string;
  /** True: the snapshot already has a sentence for each missing quota, so the comparison adds none. Default: false. */
  readonly isMissingNamed?: boolean;
}

/**
 * Compares the quotas of an answer with the known ones. A limit is compared with the last known one, also after
 * polls in which its quota was absent. A quota that a whole set does not name is missing for three polls, and then
 * has disappeared. One that is not known is new if an earlier answer held its set whole, also while its numbers cannot be
 * read.
 *
 * @param nowMs end of the poll, in milliseconds since the Unix epoch
 * @returns the next durable fields, with at most {@link maxAbsentQuotas} absent quotas; the differences; and a sentence
 *   for people for each quota that is missing
 */
export function compareQuotas(before: DurableQuotas, reading: QuotaReading, nowMs: number) {
  const { isMissingNamed = false, quotas, setOf = () => '', unreadable = [] } = reading;
  const { wholeSets: wholeNow = [''] } = reading;
  // Each quota that the answer names is taken out, so that the absent ones remain.
  const unnamed = new Map(before.histories.map((history) => [quotaKey(history), history]));
  const differences: Difference[] = [];
  const missing: string[] = [];
  const unread = unreadable.map((quota) => ({ ...quota, limit: null }));
  const named = [...quotas, ...unread].map((quota) => {
    const newHistory = { ...quotaNameOf(quota), unit: quota.unit, ...neverRead };
    const history: QuotaHistory = unnamed.get(quotaKey(quota)) ?? newHistory;
    unnamed.delete(quotaKey(quota));
    const [from, to] = [history.limit, quota.limit];
    const seen = { ...history, isKnown: true, absence: null, limit: to ?? from };
    if (!history.isKnown && before.wholeSets.includes(setOf(quota))) {
      differences.push({ kind: 'quota-appeared', ...subjectOf(quota), from: null, to: seen.limit });
    }
    if (from === null || to === null || from === to) return seen;
    const direction = to > from ? 'raised' : 'lowered';
    differences.push({ kind: `quota-limit-${direction}`, ...subjectOf(quota), from, to });
    return { ...seen, [direction]: history[direction] + 1, [`${direction}AtMs`]: nowMs };
  });
  const absent = [...unnamed.values()].map((history) => {
    if (!history.isKnown || !wholeNow.includes(setOf(history))) return history;
    const polls = lackedAfter(history.absence?.polls ?? 0, 'lacking', pollsToDisappear);
    const absence = { polls, disappearedAtMs: null };
    if (polls < pollsToDisappear) {
      if (!isMissingNamed) missing.push(`${nameOf(history)}: no row in the answer`);
      return { ...history, absence };
    }
    const lost = { from: history.limit, to: null };
    differences.push({ kind: 'quota-disappeared', ...subjectOf(history), ...lost });
    return {
      ...history,
      isKnown: false,
      disappeared: history.disappeared + 1,
      absence: { ...absence, disappearedAtMs: nowMs },
    };
  });
  // Beyond the maximum, quotas that are not known are dropped first.
  const knownFirst = absent.toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown));
  const histories: readonly QuotaHistory[] = [...named, ...knownFirst.slice(0, maxAbsentQuotas)];
  const wholeSets = [...new Set([...before.wholeSets, ...wholeNow])];
  return { durable: { histories, wholeSets }, differences, missing };
}

/**
 * Makes quotas unknown that are no longer selected, when a new configuration changes a target. Another selection begins a
 * new baseline: a quota that is not selected any more has not disappeared, and one that is selected again later is not new.
 * Counters stay.
 */
export function forgetUnselected(
  { histories }: DurableQuotas,
  isSelected: (quota: QuotaName) => boolean,
): DurableQuotas {
  const forgotten = histories.map((history) =>
    isSelected(history) ? history : { ...history, isKnown: false, absence: null },
  );
  return { histories: forgotten, wholeSets: [] };
}

/** Makes all quotas unknown, because the target now belongs to another account. Counters stay. */
export function forgetQuotas({ histories }: DurableQuotas): DurableQuotas {
  const unknown = { isKnown: false, absence: null, limit: null };
  return { histories: histories.map((history) => ({ ...history, ...unknown })), wholeSets: [] };
}

/**
 * The last known numbers of the quotas whose numbers an answer lacks: they are missing, have disappeared, or cannot be read.
 *
 * @param before the quotas of the answer before, and the last known ones of then
 * @param answered the quotas of the answer
 * @param histories after the answer; a quota that has none is forgotten
 */
export function lastKnownQuotas(
  before: readonly Quota[],
  answered: readonly Quota[],
  histories: readonly QuotaHistory[],
): readonly Quota[] {
  const readable = new Set(answered.filter(canBeJudged).map(quotaKey));
  const lacking = before.filter((quota) => canBeJudged(quota) && !readable.has(quotaKey(quota)));
  if (lacking.length === 0) return lacking;
  const inRecord = new Set([...histories, ...answered].map(quotaKey));
  return lacking
    .filter((quota) => inRecord.has(quotaKey(quota)))
    .map(({ limit, remaining, unit, used, ...name }) => {
      return { ...quotaNameOf(name), unit, used, remaining, limit };
    });
}

/**
 * Adds to last known quotas when they disappeared, and leaves out those that did so 7 days ago.
 *
 * @returns `goneSinceMs`: `null` while the quota is missing or unreadable
 */
export function withGoneSince(
  lastKnown: readonly Quota[],
  histories: readonly QuotaHistory[],
  nowMs: number,
): readonly { readonly quota: Quota; readonly goneSinceMs: number | null }[] {
  if (lastKnown.length === 0) return [];
  const disappearedAtMs = new Map(
    histories.map((history) => [quotaKey(history), history.absence?.disappearedAtMs ?? null]),
  );
  return lastKnown.flatMap((quota) => {
    const goneSinceMs = disappearedAtMs.get(quotaKey(quota)) ?? null;
    const isShown = goneSinceMs === null || nowMs - goneSinceMs < goneShownMs;
    return isShown ? { quota, goneSinceMs } : [];
  });
}

/** The fields of a difference that name its quota. */
function subjectOf({ labels, type, zone }: QuotaName) {
  return { quotaType: type, zone, extraLabels: labels };
}

function nameOf({ labels = {}, type, zone }: QuotaName): string {
  const where = zone === null ? [] : [`in ${zone}`];
  return [`${type} quota`, ...Object.values(labels), ...where].join(' ');
}

/** The text of each kind of change that {@link compareQuotas} finds. */
export const quotaChangeTexts = {
  'quota-appeared': '{type} quota appeared',
  'quota-disappeared': '{type} quota disappeared',
  'quota-limit-raised': '{type} limit raised from {from} to {to}',
  'quota-limit-lowered': '{type} limit lowered from {from} to {to}',
};
