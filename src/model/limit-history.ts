/** The last known limits of quotas, and how often they changed. */
import type { Change, Difference } from './change.ts';
import { quotaKey, type Quota } from './quota.ts';

/** The last known limit of a quota, and how often it changed. It is kept while the quota is absent. */
export interface LimitHistory extends Pick<Quota, 'type' | 'zone' | 'unit'> {
  /** `null` if it belonged to another account. The next limit is then no change. */
  readonly limit: number | null;
  readonly raised: number;
  readonly lowered: number;
  /** When the last change in each direction was found, in milliseconds since the Unix epoch. */
  readonly raisedAtMs: number | null;
  readonly loweredAtMs: number | null;
}

/** Maximum number of absent quotas in a record. */
export const maxAbsentLimits = 1_000;

/**
 * Compares limits with the last known ones, also after polls in which a quota was absent.
 *
 * @param nowMs end of the poll, in milliseconds since the Unix epoch
 * @returns the quotas in their order, then at most {@link maxAbsentLimits} absent ones
 */
export function compareLimits(
  before: readonly LimitHistory[],
  quotas: readonly Quota[],
  nowMs: number,
): { readonly limits: readonly LimitHistory[]; readonly differences: readonly Difference[] } {
  const known = new Map(before.map((history) => [quotaKey(history), history]));
  const present = quotas.map((quota) => nextLimit(known.get(quotaKey(quota)), quota, nowMs));
  const presentKeys = new Set(quotas.map(quotaKey));
  const absent = before.filter((history) => !presentKeys.has(quotaKey(history)));
  return {
    limits: [...present, ...absent.slice(0, maxAbsentLimits)],
    differences: quotas.flatMap((quota) => limitDifference(known.get(quotaKey(quota)), quota)),
  };
}

function nextLimit(before: LimitHistory | undefined, quota: Quota, nowMs: number): LimitHistory {
  const { type, zone, unit, limit } = quota;
  const { raised = 0, lowered = 0, raisedAtMs = null, loweredAtMs = null } = before ?? {};
  const last = before?.limit ?? limit;
  const isRaised = limit > last;
  const isLowered = limit < last;
  return {
    type,
    zone,
    unit,
    limit,
    raised: raised + (isRaised ? 1 : 0),
    lowered: lowered + (isLowered ? 1 : 0),
    raisedAtMs: isRaised ? nowMs : raisedAtMs,
    loweredAtMs: isLowered ? nowMs : loweredAtMs,
  };
}

function limitDifference(before: LimitHistory | undefined, quota: Quota): Difference[] {
  const { type, zone, limit } = quota;
  const from = before?.limit ?? limit;
  if (from === limit) return [];
  const kind = limit > from ? 'quota-limit-raised' : 'quota-limit-lowered';
  return [{ kind, quotaType: type, zone, from, to: limit }];
}

/** The same limits with their changes counted from 0. The times of the last changes are kept. */
export function countLimitsFromZero(limits: readonly LimitHistory[]): readonly LimitHistory[] {
  return limits.map((history) => ({ ...history, raised: 0, lowered: 0 }));
}

/**
 * Removes the values, because the target now belongs to another account. The next limits are not compared
 * with them.
 */
export function forgetLimits(limits: readonly LimitHistory[]): readonly LimitHistory[] {
  return limits.map((history) => ({ ...history, limit: null }));
}

/** The texts of the changes of {@link compareLimits}. */
export const limitChangeTexts = {
  'quota-limit-raised': (change: Change) => limitText(change, 'raised'),
  'quota-limit-lowered': (change: Change) => limitText(change, 'lowered'),
};

function limitText({ quotaType, zone, from, to }: Change, direction: string): string {
  const where = zone === null ? '' : ` in ${zone}`;
  return `${quotaType ?? 'quota'} limit ${direction} from ${from ?? 'none'} to ${to ?? 'none'}${where}`;
}
