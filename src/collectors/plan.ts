/**
 * Plans the targets of accounts. `planTargets`: before any answer, for commands and for the check of a configuration.
 * `planAccount`: by the records that are known, for the daemon and for `check`.
 */
import type { Site } from '../api/request.ts';
import type { AskedLaunches } from './collector.ts';
import type { CollectorSet } from './collector-set.ts';
import type { TargetFacts } from '../model/launches/region-facts.ts';
import { neverPolled, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

interface Named {
  /** The name of the account or region. */
  readonly name: string;
  /** The keys that collectors read. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Of a region: what a check asks about in it. */
  readonly asked?: AskedLaunches;
}

/** The part of an account that determines its targets. */
export interface PlannedAccount extends Named {
  /** The site whose hosts are asked, unless the configuration names an endpoint. */
  readonly site: Site;
  /** The regions that the configuration names. */
  readonly regions: readonly Named[];
  /** Set if discovery finds the regions. `except` names regions that get no targets. */
  readonly discoveredRegions: (Omit<Named, 'name'> & { readonly except: readonly string[] }) | null;
}

/** Returns the record of a target, by its key. `undefined` for a target that was never polled. */
type RecordOf = (key: string) => TargetRecord | undefined;

/** Stands for the regions of an account until an answer lists them. No region has this name. */
export const placeholderRegion = '*';

/** The plan of an account. */
export type PlannedTargets = ReturnType<typeof planAccount>;

/**
 * The targets of a configuration before any answer, in its order. Where discovery finds the regions of an account, its
 * targets have the region {@link placeholderRegion}.
 */
export function planTargets(
  { accounts }: { readonly accounts: readonly PlannedAccount[] },
  collectors: CollectorSet,
): readonly Target[] {
  return accounts.flatMap(
    (account) => planAccount(account, collectors, () => undefined, [placeholderRegion]).targets,
  );
}

/**
 * The targets of an account: those that the configuration names, and those that records found.
 *
 * @param unlistedRegions the regions to plan where discovery finds the regions and was never polled
 * @returns `leftOut`: regions that discovery found, and of which a target is left out because it answered UnsupportedRegion.
 *   The target is planned again after the next list of regions. Targets that launches need are never left out
 */
export function planAccount(
  { discoveredRegions, regions, ...account }: PlannedAccount,
  collectors: CollectorSet,
  recordOf: RecordOf,
  unlistedRegions: readonly string[] = [],
) {
  const { regionDiscovery } = collectors;
  const targetsIn = (region: Named) => targetsOfRegion(account, region, collectors, recordOf);
  if (discoveredRegions === null || regionDiscovery === null) {
    return { targets: regions.flatMap(targetsIn), leftOut: [] };
  }
  const { except, settings } = discoveredRegions;
  const discoveryTarget = regionDiscovery.target(account.name);
  const discoveryRecord = recordOf(targetKey(discoveryTarget));
  const foundRegions =
    discoveryRecord === undefined ? unlistedRegions : regionDiscovery.regions(discoveryRecord);
  const targets = foundRegions
    .filter((region) => !except.includes(region))
    .flatMap((name) => targetsIn({ name, settings }));
  const listedAtMs = discoveryRecord?.observed.freshness.lastSuccessAtMs ?? 0;
  // A launch needs the target of each part: without it, the part would be missing, and not unknown.
  const mayHaveLaunches = (target: Target) => {
    const collector = collectors.of(target);
    const { lastPoll } = recordOf(targetKey(target))?.observed.freshness ?? neverPolled;
    // A target that follows launches asks something only if the region has some. One that was never polled may get some.
    const isForLaunches = collector.isLaunchPart && collector.follows.length > 0;
    return isForLaunches && (lastPoll === null || !collector.asksNothing(target));
  };
  const launching = new Set(targets.filter(mayHaveLaunches).map(({ region }) => region));
  const isLeftOut = (target: Target) => {
    const isNeeded = collectors.of(target).isLaunchPart && launching.has(target.region);
    return !isNeeded && isUnsupported(recordOf(targetKey(target)), listedAtMs);
  };
  return {
    targets: [discoveryTarget, ...targets.filter((target) => !isLeftOut(target))],
    leftOut: [...new Set(targets.filter(isLeftOut).map(({ region }) => region))],
  };
}

/**
 * Whether the region of a target does not offer its operation: it refused with `UnsupportedRegion` and never succeeded,
 * since the last list of regions. After the next list, the target is polled again.
 */
function isUnsupported(record: TargetRecord | undefined, listedAtMs: number): boolean {
  const { failure, lastPoll, lastSuccessAtMs } = record?.observed.freshness ?? neverPolled;
  if (failure?.code !== 'UnsupportedRegion' || lastSuccessAtMs !== null) return false;
  return (lastPoll?.atMs ?? 0) >= listedAtMs;
}

/** The targets of every kind, in the order of the kinds: each plans from the records of those before it. */
function targetsOfRegion(
  account: Pick<PlannedAccount, 'name' | 'settings' | 'site'>,
  region: Named,
  collectors: CollectorSet,
  recordOf: RecordOf,
): readonly Target[] {
  const settings = {
    site: account.site,
    accountKeys: account.settings,
    regionKeys: region.settings,
    asked: region.asked,
  };
  const targets: Target[] = [];
  const records: TargetRecord[] = [];
  const facts: TargetFacts[] = [];
  for (const collector of collectors.all) {
    const target = { account: account.name, region: region.name, operation: collector.operation };
    const planned = collector.plan({ ...settings, target }, facts, records);
    targets.push(...planned);
    const found = planned.flatMap((each) => recordOf(targetKey(each)) ?? []);
    records.push(...found);
    facts.push(...found.map((record) => collectors.launchFacts(record, true)));
  }
  return targets;
}
