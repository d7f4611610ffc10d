/**
 * Plans the targets of accounts. Commands and the check of a configuration call `planTargets`, before any answer. The
 * daemon and commands that poll call `planAccount`, after each answer that may find other targets.
 */
import type { Site } from '../api/request.ts';
import type { AskedLaunches } from './collector.ts';
import type { CollectorSet } from './collector-set.ts';
import type { TargetFacts } from '../model/launches/region-facts.ts';
import { neverPolled, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

/** The configuration of an account or a region, as far as collectors read it. */
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
  /** `null` if the configuration names the regions. `except`: found regions that get no targets. */
  readonly discoveredRegions: (Omit<Named, 'name'> & { readonly except: readonly string[] }) | null;
}

/** Returns the record of a target, by its key. `undefined` for a target that was never polled. */
type RecordOf = (key: string) => TargetRecord | undefined;

/** Stands for the regions of an account until an answer lists them. No region has this name. */
export const placeholderRegion = '*';

/** The plan of an account, as {@link planAccount} returns it. */
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
  // A launch needs the target of each part: without it, the part would be missing, and not unknown. A region counts as one
  // with launches if a kind whose targets launches find, such as prices, has something to ask there or was never polled.
  const mayHaveLaunches = (target: Target) => {
    const collector = collectors.of(target);
    const { lastPoll } = recordOf(targetKey(target))?.observed.freshness ?? neverPolled;
    const followsLaunches = collector.isLaunchPart && collector.follows.length > 0;
    return followsLaunches && (lastPoll === null || !collector.asksNothing(target));
  };
  const launchRegions = new Set(targets.filter(mayHaveLaunches).map(({ region }) => region));
  const isLeftOut = (target: Target) => {
    const isForLaunch = collectors.of(target).isLaunchPart && launchRegions.has(target.region);
    return !isForLaunch && isUnsupported(recordOf(targetKey(target)), listedAtMs);
  };
  return {
    targets: [discoveryTarget, ...targets.filter((target) => !isLeftOut(target))],
    leftOut: [...new Set(targets.filter(isLeftOut).map(({ region }) => region))],
  };
}

/**
 * Whether the region of a target does not offer its operation: it never succeeded, and its last poll, which is not older
 * than the last list of regions, failed with `UnsupportedRegion`. After the next list, the target is polled again.
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
