/** A target: the account, region, operation and resource that one poll asks about. Collectors plan them. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { labelMap, text, type Stored } from './stored.ts';

/** The fields by which a stored record names its target. */
export const targetSchema = z.object({
  /** The configured name of the account, the `account` label. */
  account: text,
  region: text,
  /** The operation of the service. It identifies the collector of the target. */
  operation: text,
  /**
   * Labels that distinguish targets of one operation and region, such as `template_id`. Absent if a region has
   * one target of the operation.
   */
  resource: labelMap.optional(),
});

/** A target of any kind. Kinds add their selection, such as zones. */
export interface Target extends Stored<typeof targetSchema> {
  /** The least time between two polls, in milliseconds. Absent for a target that each cycle polls. */
  readonly intervalMs?: number;
}

/** A configured account, and the labels that the configuration adds to each of its series. */
export interface LabelledAccount {
  readonly name: string;
  /** By name. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The labels of each account, by its name. */
export function labelsByAccount(
  accounts: readonly LabelledAccount[],
): ReadonlyMap<string, LabelledAccount['labels']> {
  return new Map(accounts.map(({ labels, name }) => [name, labels]));
}

/**
 * The identity of a target, independent of its selection. The configuration restricts account, region and
 * resource to `[A-Za-z0-9._-]`. So no two targets share a key, and a key is a safe file name.
 */
export function targetKey({ account, region, operation, resource = {} }: Target): string {
  return [account, region, operation, ...Object.values(resource)].join('@');
}

export const hourMs = 3_600_000;

/**
 * Whether two instants are in the same hour of a target. Kinds that poll once an hour ask. The hours of each target begin
 * at another time, which follows from its key, so that not all targets are due at once.
 */
export function areInSameHour(target: Target, oneMs: number, otherMs: number): boolean {
  const startMs = createHash('sha256').update(targetKey(target)).digest().readUInt32BE() % hourMs;
  const hourOf = (atMs: number) => Math.floor((atMs - startMs) / hourMs);
  return hourOf(oneMs) === hourOf(otherMs);
}
