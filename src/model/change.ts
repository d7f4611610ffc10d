/** Changes of targets: `advance()` makes them of the differences of quotas, and of those that a collector found. */
import { z } from 'zod';
import { text, timeMs, zoneOrNull, type Stored } from './stored.ts';
import { targetSchema, type Target } from './target.ts';

/** A difference from what the record last knew, with its target and time: logged, counted, kept and shown. */
export const changeSchema = targetSchema.extend({
  /** Such as `default-version-changed`. All collectors share the kinds of quotas; each other kind belongs to one of them. */
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

/** What a comparison reports: `advance()` makes a {@link Change} of it. */
export interface Difference
  extends Pick<Change, 'kind' | 'from' | 'to'>, Partial<Pick<Change, 'quotaType' | 'zone'>> {
  /** Labels of the resource that changed. They are added to those of the target. */
  readonly extraLabels?: Readonly<Record<string, string>> | undefined;
}

/** The change of a target that a difference stands for. @param atMs end of the poll that found the difference */
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

/**
 * The kind of the last change of a poll that found more than a record keeps. Its new value is the number of those that are
 * left out.
 */
export const moreChangesKind = 'more-changes';
