import { z } from 'zod';
import { text, timeMs, zoneOrNull, type Stored } from './stored.ts';
import { targetSchema, type Target } from './target.ts';

/** A difference between two consecutive snapshots of a target, with the target's name. */
export const changeSchema = targetSchema.extend({
  /** Such as `default-version-changed`. Each collector has its own kinds. */
  kind: text,
  /** End of the poll that found the change. */
  atMs: timeMs,
  /** `null` unless a quota changed. */
  quotaType: text.nullable(),
  /** `null` if the change has no zone. */
  zone: zoneOrNull,
  /** The old value, such as a version number, a limit or a name. `null` if there was none. */
  from: z.union([z.number(), text]).nullable(),
  /** The new value, in the same form. */
  to: z.union([z.number(), text]).nullable(),
});
export type Change = Stored<typeof changeSchema>;

/** The difference only, without its target and time. */
export interface Difference
  extends Pick<Change, 'kind' | 'from' | 'to'>, Partial<Pick<Change, 'quotaType' | 'zone'>> {
  /** Labels of the resource that changed, if they are not those of the target. */
  readonly extraLabels?: Readonly<Record<string, string>> | undefined;
}

/** A change of the target, found at `atMs`. */
export function changeOf(
  { account, operation, region, resource }: Target,
  atMs: number,
  { extraLabels, ...difference }: Difference,
): Change {
  return {
    atMs,
    account,
    region,
    operation,
    resource: extraLabels === undefined ? resource : { ...resource, ...extraLabels },
    quotaType: null,
    zone: null,
    ...difference,
  };
}

/** The kind of the line that counts the changes of a poll that are not named. Its new value is their number. */
export const moreChangesKind = 'more-changes';
