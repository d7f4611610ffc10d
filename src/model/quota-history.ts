/** The quotas that are known to exist, their last known limits, and how often both changed. Pure. */
import type { Change, Difference } from './change.ts';
import { quotaKey, type Quota, type QuotaName } from './quota.ts';
import type { quotaHistory, Stored } from './stored.ts';

/** The polls in which a quota is missing before it counts as disappeared. */
const missingPolls = 3;
/** How long a quota that disappeared is shown. */
const goneShownMs = 24 * 3_600_000;
/** Maximum number of absent quotas in a record. */
export const maxAbsentQuotas = 1_000;

export type QuotaHistory = Stored<typeof quotaHistory>;

/** What an answer says about quotas. */
export interface QuotaReading {
  readonly quotas: readonly Quota[];
  /** Those that the answer names, but whose numbers cannot be read. */
  readonly unreadable: readonly (QuotaName & Pick<Quota, 'unit'>)[];
  /** Whether the answer names all of a quota's set: what it does not name is missing. */
  readonly isWhole: (quota: QuotaName) => boolean;
  /** Whether earlier answers would have named the quota: one that they did not name is new. */
  readonly wasAsked: (quota: QuotaName) => boolean;
}

export interface QuotaComparison {
  /** The quotas of the answer in its order, then at most {@link maxAbsentQuotas} absent ones. */
  readonly histories: readonly QuotaHistory[];
  readonly differences: readonly Difference[];
  /** A sentence for each quota that is missing. */
  readonly missing: readonly string[];
}

/** The reading of an answer with every quota of a target that always asks for the same ones. */
export function wholeReading(
  before: readonly QuotaHistory[],
  quotas: readonly Quota[],
): QuotaReading {
  const isBaseline = before.every(({ isKnown, absence }) => !isKnown && absence === null);
  return { quotas, unreadable: [], isWhole: () => true, wasAsked: () => !isBaseline };
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
  before: readonly QuotaHistory[],
  last: readonly Quota[],
  reading: QuotaReading,
  nowMs: number,
): QuotaComparison {
  const known = new Map(before.map((history) => [quotaKey(history), history]));
  const differences: Difference[] = [];
  const missing: string[] = [];
  const unreadable = reading.unreadable.map((quota) => ({ ...quota, limit: null }));
  const named = [...reading.quotas, ...unreadable].map((quota) => {
    const history = known.get(quotaKey(quota)) ?? newHistory(quota);
    known.delete(quotaKey(quota));
    const isKnown = history.isKnown || reading.isWhole(quota);
    const limit = quota.limit ?? history.limit;
    if (isKnown && !history.isKnown && reading.wasAsked(quota)) {
      differences.push(differenceOf('quota-appeared', quota, null, limit));
    }
    const next = { ...history, isKnown, absence: null, limit };
    const from = history.limit ?? limit;
    if (from === null || limit === null || from === limit) return next;
    if (limit > from) {
      differences.push(differenceOf('quota-limit-raised', quota, from, limit));
      return { ...next, raised: history.raised + 1, raisedAtMs: nowMs };
    }
    differences.push(differenceOf('quota-limit-lowered', quota, from, limit));
    return { ...next, lowered: history.lowered + 1, loweredAtMs: nowMs };
  });
  const absent = [...known.values()].map((history) => {
    if (!history.isKnown || !reading.isWhole(history)) return history;
    const absence = absenceOf(history, last);
    if (absence.polls <= missingPolls) {
      missing.push(`${nameOf(history)}: no row in the answer`);
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
  const kept = absent.toSorted((a, b) => Number(b.isKnown) - Number(a.isKnown));
  return { histories: [...named, ...kept.slice(0, maxAbsentQuotas)], differences, missing };
}

function newHistory({ type, zone, unit, labels }: QuotaName & Pick<Quota, 'unit'>): QuotaHistory {
  return {
    type,
    zone,
    unit,
    ...(labels && { labels }),
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
  const quota = last.find((each) => quotaKey(each) === quotaKey(history));
  const { used = null, remaining = null } = quota ?? {};
  return { polls: 1, used, remaining, disappearedAtMs: null };
}

/**
 * Makes quotas unknown that are no longer selected. A narrowed selection is no disappearance, and what is selected
 * again later is not new. Counters stay.
 */
export function keepSelected(
  histories: readonly QuotaHistory[],
  isSelected: (quota: QuotaName) => boolean,
): readonly QuotaHistory[] {
  return histories.map((history) =>
    isSelected(history) ? history : { ...history, isKnown: false, absence: null },
  );
}

/** Makes all quotas unknown, because the target now belongs to another account. Counters stay. */
export function forgetQuotas(histories: readonly QuotaHistory[]): readonly QuotaHistory[] {
  return keepSelected(histories, () => false).map((history) => ({ ...history, limit: null }));
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
  return histories.flatMap(({ absence, type, zone, unit, labels, limit }) => {
    const disappearedAtMs = absence?.disappearedAtMs ?? null;
    if (absence === null || disappearedAtMs === null || limit === null) return [];
    if (nowMs - disappearedAtMs >= goneShownMs) return [];
    const { used, remaining } = absence;
    return [{ quota: { type, zone, unit, labels, used, remaining, limit }, disappearedAtMs }];
  });
}

function differenceOf(
  kind: string,
  { type, zone, labels }: QuotaName,
  from: number | null,
  to: number | null,
): Difference {
  return { kind, quotaType: type, zone, labels, from, to };
}

function nameOf({ type, zone, labels = {} }: QuotaName): string {
  return [`${type} quota`, ...Object.values(labels), ...(zone === null ? [] : [`in ${zone}`])].join(
    ' ',
  );
}

/** The texts of the changes of {@link compareQuotas}. */
export const quotaChangeTexts = {
  'quota-appeared': (change: Change) => `${changedQuota(change)} appeared${placeOf(change)}`,
  'quota-disappeared': (change: Change) => `${changedQuota(change)} disappeared${placeOf(change)}`,
  'quota-limit-raised': (change: Change) => limitText(change, 'raised'),
  'quota-limit-lowered': (change: Change) => limitText(change, 'lowered'),
};

function limitText(change: Change, direction: string): string {
  const { quotaType, from, to } = change;
  return `${quotaType ?? 'quota'} limit ${direction} from ${from ?? 'none'} to ${to ?? 'none'}${placeOf(change)}`;
}

function changedQuota({ quotaType }: Change): string {
  return quotaType === null ? 'quota' : `${quotaType} quota`;
}

function placeOf({ zone }: Change): string {
  return zone === null ? '' : ` in ${zone}`;
}
