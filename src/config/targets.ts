import type { CollectorSet } from '../collectors/collector-set.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { targetKey, type Target } from '../model/target.ts';

/** The keys that collectors read, with the name of their account or region. */
interface Settings {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The part of a configuration that determines the targets. */
interface Planned {
  readonly accounts: readonly (Settings & { readonly regions: readonly Settings[] })[];
}

/** The targets that the answers of a target found. */
export type FoundTargets = (target: Target) => readonly Target[];

/** Of answers that are not known. */
const nothingFound: FoundTargets = () => [];

/** The targets that the records found. */
export function foundIn(
  records: Pick<PublishedRecords, 'get'>,
  collectors: CollectorSet,
): FoundTargets {
  return (target) => {
    const record = records.get(targetKey(target));
    return record === undefined ? [] : (collectors.of(target).discovery?.finds(record) ?? []);
  };
}

/** The targets of a configuration, in its order. Each is followed by those that its answers found. */
export function planTargets(
  { accounts }: Planned,
  collectors: CollectorSet,
  found = nothingFound,
): Target[] {
  return accounts.flatMap((account) =>
    account.regions.flatMap((region) =>
      collectors.all.flatMap((collector) =>
        collector
          .plan({
            account: account.name,
            region: region.name,
            accountKeys: account.settings,
            regionKeys: region.settings,
          })
          .flatMap((target) => [target, ...found(target)]),
      ),
    ),
  );
}
