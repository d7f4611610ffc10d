import type { Target } from './target.ts';

/** A difference between two consecutive snapshots of a target, with the target's name. */
export interface Change extends Target {
  /** Such as `default-version-changed`. Each collector has its own kinds. */
  readonly kind: string;
  /** End of the poll that found the change, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** `null` unless a quota changed. */
  readonly quotaType: string | null;
  /** `null` if the change has no zone. */
  readonly zone: string | null;
  /** The old value, such as a version number, a limit or a name. `null` if there was none. */
  readonly from: number | string | null;
  /** The new value, in the same form. */
  readonly to: number | string | null;
}

/** The difference only, without its target and time. */
export interface Difference
  extends Pick<Change, 'kind' | 'from' | 'to'>, Partial<Pick<Change, 'quotaType' | 'zone'>> {
  /** Labels of the resource that changed, if they are not those of the target. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A change of `target`, found at `atMs`. */
export function changeOf(
  target: Target,
  atMs: number,
  { labels, ...difference }: Difference,
): Change {
  return {
    atMs,
    account: target.account,
    region: target.region,
    operation: target.operation,
    resource: labels === undefined ? target.resource : { ...target.resource, ...labels },
    quotaType: null,
    zone: null,
    ...difference,
  };
}

/** The kind of the line that counts the changes of a poll that are not named. Its new value is their number. */
export const moreChanges = 'more-changes';
