/**
 * What a record remembers of its quotas: their last known limits, and how often they changed. {@link advance} compares
 * each answer with it. Pure.
 */
import { z } from 'zod';
import type { Change, Difference } from './change.ts';
import {
  amount,
  quotaKey,
  quotaNameFields,
  quotaNameOf,
  eachOnce,
  useFields,
  type NamedQuota,
  type Quota,
  type QuotaName,
} from './quota.ts';
import { count, text, timeMs, type Stored } from './stored.ts';

/** What is remembered of a quota. It is kept while the quota is absent. */
const quotaHistory = z.object({
  ...quotaNameFields,
  /** The last known limit. `null` if it was never read, or if it belonged to another account. */
  limit: amount.nullable(),
  raised: count,
  lowered: count,
  /** When the last change in each direction was found. */
  raisedAtMs: timeMs.nullable(),
  loweredAtMs: timeMs.nullable(),
  /** How often it disappeared. */
  disappeared: count,
  /**
   * Whether the service has it, as far as that is known. `false` for one that disappeared, that is not selected, or
   * that only a partly readable set has named.
   */
  isKnown: z.boolean(),
  /** `null` while the answers have it, or may have it in an unreadable row. */
  absence: z
    .object({
      ...useFields,
      /** Successful polls in a row that lacked it. */
      polls: count,
      /** When it counted as disappeared. `null` while it is missing. */
      disappearedAtMs: timeMs.nullable(),
    })
    .nullable(),
});
export type QuotaHistory = Stored<typeof quotaHistory>;

/** What every record counts of quotas. */
export const quotaMemory = {
  /** What is remembered of quotas: those of the snapshot in its order, then absent ones. */
  histories: eachOnce(quotaHistory),
  /** The sets that answers held whole since the question is the same. A quota of them that is not known is new. */
  wholeSets: z.array(text).default([]),
};
export type QuotaMemory = Stored<z.ZodObject<typeof quotaMemory>>;

/** The polls in which a quota is missing before it counts as disappeared. */
const missingPolls = 3;
/** How long a quota that disappeared is shown. */
const goneShownMs = 24 * 3_600_000;
/** Maximum number of absent quotas in a record. */
export const maxAbsentQuotas = 1_000;

/** What an answer says about quotas. */
export interface QuotaReading {
  readonly quotas: readonly Quota[];
  /** Those that the answer names, but whose numbers cannot be read. Default: none. */
  readonly unreadable?: readonly NamedQuota[];
  /** The sets that it holds whole: what it does not name of them is missing. Default: the only set. */
  readonly whole?: readonly string[];
  /** The set of a quota. Default: all are in one. */
  readonly setOf?: (quota: QuotaName) => string;
  /** Whether the snapshot names what is missing by itself. Default: it does not. */
  readonly isMissingNamed?: boolean;
}

export interface QuotaComparison {
  /** At most {@link maxAbsentQuotas} absent quotas are remembered. */
  readonly memory: QuotaMemory;
  readonly differences: readonly Difference[];
  /** A sentence for each quota that is missing. */
  readonly missing: readonly string[];
}

/**
 * Compares the quotas of an answer with the known ones. A limit is compared with the last known one, also after
 * polls in which its quota was absent. A quota that a whole set does not name is missing for three polls, and then
 * has disappeared. A row that cannot be read is unknown: it is neither missing nor new.
 *
 * @param last the quotas of the answer before, for the last use of those that are missing
 * @param nowMs end of the poll, in milliseconds since the Unix epoch
 */
export function compareQuotas(
  before: QuotaMemory,
  last: readonly Quota[],
  { quotas, unreadable = [], isMissingNamed = false, setOf = () => '', whole = [''] }: QuotaReading,
  nowMs: number,
): QuotaComparison {
  const isWhole = (each: QuotaName) => whole.includes(setOf(each));
  const known = new Map(before.histories.map((history) => [quotaKey(history), history]));
  const differences: Difference[] = [];
  const missing: string[] = [];
  const unread = unreadable.map((each) => ({ ...each, limit: null }));
  const named = [...quotas, ...unread].map((each) => {
    const history = known.get(quotaKey(each)) ?? newHistory(each);
    known.delete(quotaKey(each));
    const [from, to] = [history.limit, each.limit];
    const isKnown = history.isKnown || isWhole(each);
    const next = { ...history, isKnown, absence: null, limit: to ?? from };
    if (isKnown && !history.isKnown && before.wholeSets.includes(setOf(each))) {
      differences.push(differenceOf('quota-appeared', each, null, next.limit));
    }
    if (from === null || to === null || from === to) return next;
    const direction = to > from ? 'raised' : 'lowered';
    differences.push(differenceOf(`quota-limit-${direction}`, each, from, to));
    return { ...next, [direction]: history[direction] + 1, [`${direction}AtMs`]: nowMs };
  });
  const absent = [...known.values()].map((history) => {
    if (!history.isKnown || !isWhole(history)) return history;
    const absence = absenceOf(history, last);
    if (absence.polls <= missingPolls) {
      if (!isMissingNamed) missing.push(`${nameOf(history)}: no row in the answer`);
      return { ...history, absence };
    }
    differences.push(differenceOf('quota-disappeared', history, history.limit, null));
    return {
      ...history,
      isKnown: false,
      disappeared: history.disappeared + 1,
      absence: { ...absence, disappearedAtMs: nowMs },
    };
  });
  const gone = absent.filter(({ isKnown }) => !isKnown);
  const kept = [...absent.filter(({ isKnown }) => isKnown), ...gone].slice(0, maxAbsentQuotas);
  const wholeSets = [...new Set([...before.wholeSets, ...whole])];
  return { memory: { histories: [...named, ...kept], wholeSets }, differences, missing };
}

function newHistory(named: NamedQuota): QuotaHistory {
  return {
    ...quotaNameOf(named),
    unit: named.unit,
    limit: null,
    raised: 0,
    lowered: 0,
    raisedAtMs: null,
    loweredAtMs: null,
    disappeared: 0,
    isKnown: false,
    absence: null,
  };
}

function absenceOf(history: QuotaHistory, last: readonly Quota[]) {
  if (history.absence !== null) return { ...history.absence, polls: history.absence.polls + 1 };
  const { used = null, remaining = null } =
    last.find((each) => quotaKey(each) === quotaKey(history)) ?? {};
  return { polls: 1, used, remaining, disappearedAtMs: null };
}

/**
 * Makes quotas unknown that are no longer selected. Another selection begins a new baseline: a narrowed one is no
 * disappearance, and what is selected again later is not new. Counters stay.
 */
export function keepSelected(
  { histories }: QuotaMemory,
  isSelected: (quota: QuotaName) => boolean,
): QuotaMemory {
  const kept = histories.map((history) =>
    isSelected(history) ? history : { ...history, isKnown: false, absence: null },
  );
  return { histories: kept, wholeSets: [] };
}

/** Makes all quotas unknown, because the target now belongs to another account. Counters stay. */
export function forgetQuotas({ histories }: QuotaMemory): QuotaMemory {
  const unknown = { isKnown: false, absence: null, limit: null };
  return { histories: histories.map((history) => ({ ...history, ...unknown })), wholeSets: [] };
}

/** A quota that disappeared, with its last known numbers. */
export interface GoneQuota {
  readonly quota: Quota;
  /** Milliseconds since the Unix epoch. */
  readonly disappearedAtMs: number;
}

/** The quotas that disappeared in the last 24 hours. */
export function goneQuotas(
  histories: readonly QuotaHistory[],
  nowMs: number,
): readonly GoneQuota[] {
  return histories.flatMap(({ absence, limit: last, unit, ...name }) => {
    const { disappearedAtMs: goneAtMs, used = null, remaining = null } = absence ?? {};
    const disappearedAtMs = goneAtMs ?? -Infinity;
    if (last === null || nowMs - disappearedAtMs >= goneShownMs) return [];
    const amountsThen = { used, remaining, limit: last };
    return { quota: { ...quotaNameOf(name), unit, ...amountsThen }, disappearedAtMs };
  });
}

function differenceOf(
  kind: string,
  { type, zone: place, labels: resource }: QuotaName,
  from: number | null,
  to: number | null,
): Difference {
  return { kind, quotaType: type, zone: place, labels: resource, from, to };
}

function nameOf({ type, zone: place, labels: resource = {} }: QuotaName): string {
  const where = place === null ? [] : [`in ${place}`];
  return [`${type} quota`, ...Object.values(resource), ...where].join(' ');
}

const limitsOf = ({ from, to }: Change) => `from ${from ?? 'none'} to ${to ?? 'none'}`;

const quotaText = (what: string, more?: (change: Change) => string) => (change: Change) =>
  [change.quotaType, what, more?.(change), change.zone && `in ${change.zone}`]
    .filter(Boolean)
    .join(' ');

/** The texts of the changes of {@link compareQuotas}. */
export const quotaChangeTexts = {
  'quota-appeared': quotaText('quota appeared'),
  'quota-disappeared': quotaText('quota disappeared'),
  'quota-limit-raised': quotaText('limit raised', limitsOf),
  'quota-limit-lowered': quotaText('limit lowered', limitsOf),
};
