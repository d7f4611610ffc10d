import type { change, Stored } from './stored.ts';
import type { Target } from './target.ts';

export type Change = Stored<typeof change>;

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
