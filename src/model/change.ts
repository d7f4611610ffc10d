import type { Target } from './target.ts';

/** A difference between two consecutive snapshots of a target, with the target's name. */
export interface Change extends Target {
  /** Such as `default-version-changed`; a collector knows its own kinds. */
  readonly kind: string;
  /** When the poll that saw it ended; milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** `null` unless a limit changed. */
  readonly quotaType: string | null;
  /** `null` where the change has no zone. */
  readonly zone: string | null;
  /** The value before: a version number, a limit, or a zone; `null` for what was not there. */
  readonly from: number | string | null;
  /** The value after, likewise. */
  readonly to: number | string | null;
}

/** The difference alone, without its target and time. */
export type Difference = Pick<Change, 'kind' | 'from' | 'to'> &
  Partial<Pick<Change, 'quotaType' | 'zone'>>;

/** A change of `target` seen at `atMs`. */
export function changeOf(target: Target, atMs: number, difference: Difference): Change {
  return {
    atMs,
    account: target.account,
    region: target.region,
    operation: target.operation,
    resource: target.resource,
    quotaType: null,
    zone: null,
    ...difference,
  };
}
