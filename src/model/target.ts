import type { Stored, target as storedTarget } from './stored.ts';

/** The subject of one poll. The targets of a collector add a selection. */
export interface Target extends Stored<typeof storedTarget> {
  /** How often it is polled at most. Absent for a target that each cycle polls. */
  readonly intervalMs?: number;
}

/** The keys that were asked for: each poll asks several times. */
const keys = new WeakMap<Target, string>();

/**
 * The identity of a target, independent of its selection. The configuration restricts account, region and
 * resource to `[A-Za-z0-9._-]`. So no two targets share a key, and a key is a safe file name.
 */
export function targetKey(target: Target): string {
  let key = keys.get(target);
  if (key === undefined) {
    const { account, region, operation, resource = {} } = target;
    key = [account, region, operation, ...Object.values(resource)].join('@');
    keys.set(target, key);
  }
  return key;
}
