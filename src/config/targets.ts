import type { CollectorSet } from '../collectors/collector-set.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { targetKey, type Target } from '../model/target.ts';

/** The keys that collectors read. */
interface Settings {
  readonly settings: Readonly<Record<string, unknown>>;
}

interface Named extends Settings {
  /** The name of the account or region. */
  readonly name: string;
}

interface PlannedAccount extends Named {
  readonly regions: readonly Named[];
  readonly everyRegion: (Settings & { readonly except: readonly string[] }) | null;
}

/** The part of a configuration that determines the targets. */
interface Planned {
  readonly accounts: readonly PlannedAccount[];
}

/** What the answers of the service add to a configuration. */
export interface Discovered {
  /** The regions of an account that the answers of a target found. */
  readonly regions: (finder: Target) => readonly string[];
  /** The targets that the answers of a target found. */
  readonly targets: (finder: Target) => readonly Target[];
  /** Whether the service does not offer the operation of a target in a region that discovery found. */
  readonly isLeftOut: (target: Target) => boolean;
}

/** Used in place of the regions of an account until an answer lists them. No region has this name. */
export const anyRegionName = '*';

const anyRegion: Discovered = {
  regions: () => [anyRegionName],
  targets: () => [],
  isLeftOut: () => false,
};

/**
 * What records have found.
 *
 * @param leftOut keys of targets
 */
export function discoveredBy(
  records: Pick<PublishedRecords, 'get'>,
  collectors: CollectorSet,
  leftOut: ReadonlySet<string>,
): Discovered {
  return {
    regions: (finder) => {
      const record = records.get(targetKey(finder));
      return record === undefined ? [] : (collectors.regionDiscovery?.regions(record) ?? []);
    },
    targets: (finder) => {
      const record = records.get(targetKey(finder));
      return record === undefined ? [] : (collectors.of(finder).discovery?.finds(record) ?? []);
    },
    isLeftOut: (target) => leftOut.has(targetKey(target)),
  };
}

/**
 * Whether a failure shows that the service does not offer the operation of a target in its region, which
 * discovery found.
 */
export function isUnsupported(
  { accounts }: Planned,
  collectors: CollectorSet,
  { target, code }: { readonly target: Target; readonly code: string },
): boolean {
  const account = accounts.find(({ name }) => name === target.account);
  const isInFoundRegion = (account?.everyRegion ?? null) !== null;
  const isFinder = collectors.of(target).regionDiscovery !== null;
  return code === 'UnsupportedRegion' && isInFoundRegion && !isFinder;
}

/** The targets of a configuration, in its order. Each is followed by those that its answers found. */
export function planTargets(
  { accounts }: Planned,
  collectors: CollectorSet,
  discovered = anyRegion,
): Target[] {
  return accounts.flatMap((account) => {
    const { finders, regions, isLeftOut } = regionsOf(account, collectors, discovered);
    const targets = regions.flatMap((region) =>
      collectors.all.flatMap((collector) =>
        collector.plan({
          account: account.name,
          region: region.name,
          accountKeys: account.settings,
          regionKeys: region.settings,
        }),
      ),
    );
    const found = targets
      .filter((target) => !isLeftOut(target))
      .flatMap((target) => [
        target,
        ...discovered.targets(target).filter((each) => !isLeftOut(each)),
      ]);
    return [...finders, ...found];
  });
}

function regionsOf(
  { name: account, regions, everyRegion }: PlannedAccount,
  { regionDiscovery }: CollectorSet,
  { isLeftOut, regions: regionsFoundBy }: Discovered,
) {
  if (everyRegion === null || regionDiscovery === null) {
    return { finders: [], regions, isLeftOut: () => false };
  }
  const { except, settings } = everyRegion;
  const finder = regionDiscovery.target(account);
  const names = regionsFoundBy(finder).filter((name) => !except.includes(name));
  return { finders: [finder], regions: names.map((name) => ({ name, settings })), isLeftOut };
}
