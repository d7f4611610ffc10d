import type { Target, QuotaType } from './target.ts';
import { templateIdOf } from './target.ts';

export const changeKinds = [
  'default-version-changed',
  'version-created',
  'version-deleted',
  'quota-limit-raised',
  'quota-limit-lowered',
  'zone-appeared',
  'zone-disappeared',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** A difference between two consecutive snapshots of a target that somebody may want to know of. */
export interface Change {
  readonly kind: ChangeKind;
  /** When the poll that saw it ended; milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly account: string;
  readonly region: string;
  /** Empty for a change of quotas. */
  readonly templateId: string;
  /** `null` unless a limit changed. */
  readonly quotaType: QuotaType | null;
  /** `null` where the change concerns no zone. */
  readonly zone: string | null;
  /** The value before: a version number, a limit, or a zone; `null` for what was not there. */
  readonly from: number | string | null;
  /** The value after, likewise. */
  readonly to: number | string | null;
}

/** What differs, before it is known where and when. */
export type Difference = Pick<Change, 'kind' | 'from' | 'to'> &
  Partial<Pick<Change, 'quotaType' | 'zone'>>;

/** A change of `target` seen at `atMs`. */
export function changeOf(target: Target, atMs: number, difference: Difference): Change {
  return {
    atMs,
    account: target.account,
    region: target.region,
    templateId: templateIdOf(target),
    quotaType: null,
    zone: null,
    ...difference,
  };
}
