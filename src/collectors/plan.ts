import type { Site } from '../api/request.ts';
import type { CollectorSet } from './collector-set.ts';
import { neverPolled, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

interface Settings {
  /** The keys that collectors read. */
  readonly settings: Readonly<Record<string, unknown>>;
}

interface Named extends Settings {
  /** The name of the account or region. */
  readonly name: string;
}

/** The part of an account that determines its targets. */
export interface PlannedAccount extends Named {
  /** Whose hosts are asked, unless the configuration names others. */
  readonly site: Site;
  /** The regions that the configuration names. */
  readonly regions: readonly Named[];
  /** Set if discovery finds the regions; `except` names those that are not watched. */
  readonly discoveredRegions: (Settings & { readonly except: readonly string[] }) | null;
}

/** The record of a target, by its key. `undefined` for a target that was never polled. */
type RecordOf = (key: string) => TargetRecord | undefined;

/** The targets of an account. */
export interface PlannedTargets {
  readonly targets: readonly Target[];
  /** Regions that discovery found and that do not offer an operation. They are tried again with the next discovery. */
  readonly leftOut: readonly string[];
}

/** Used in place of the regions of an account until an answer lists them. No region has this name. */
export const placeholderRegion = '*';

/** The targets of a configuration, in its order, before any answer. */
export function planTargets(
  { accounts }: { readonly accounts: readonly PlannedAccount[] },
  collectors: CollectorSet,
): readonly Target[] {
  return accounts.flatMap((account) => planAccount(account, collectors, null).targets);
}

/**
 * The targets of an account: those that the configuration names, and those that records found.
 *
 * @param recordOf `null` before any answer: if discovery finds the regions, there is one with the name
 *   {@link placeholderRegion}
 */
export function planAccount(
  { discoveredRegions, regions, ...account }: PlannedAccount,
  collectors: CollectorSet,
  recordOf: RecordOf | null,
): PlannedTargets {
  const { regionDiscovery } = collectors;
  const known = recordOf ?? (() => undefined);
  const withFound = (region: Named) => targetsOfRegion(account, region, collectors, known);
  if (discoveredRegions === null || regionDiscovery === null) {
    return { targets: regions.flatMap(withFound), leftOut: [] };
  }
  const { except, settings } = discoveredRegions;
  const finder = regionDiscovery.target(account.name);
  const list = known(targetKey(finder));
  const listed = list === undefined ? [] : regionDiscovery.regions(list);
  const targets = (recordOf === null ? [placeholderRegion] : listed)
    .filter((region) => !except.includes(region))
    .flatMap((region) => withFound({ name: region, settings }));
  const isOut = (target: Target) => isLeftOut(known(targetKey(target)), list);
  return {
    targets: [finder, ...targets.filter((each) => !isOut(each))],
    leftOut: [...new Set(targets.filter(isOut).map(({ region }) => region))],
  };
}

/**
 * Whether the region of a target does not offer its operation: the service said so, and never answered. After each
 * list of regions, it is asked again.
 */
function isLeftOut(record: TargetRecord | undefined, list: TargetRecord | undefined): boolean {
  const { failure, lastPoll, lastSuccessAtMs } = record?.observed.freshness ?? neverPolled;
  if (failure?.code !== 'UnsupportedRegion' || lastSuccessAtMs !== null) return false;
  return (lastPoll?.atMs ?? 0) >= (list?.observed.freshness.lastSuccessAtMs ?? 0);
}

function targetsOfRegion(
  account: Pick<PlannedAccount, 'name' | 'settings' | 'site'>,
  region: Named,
  collectors: CollectorSet,
  recordOf: RecordOf,
): readonly Target[] {
  const settings = {
    account: account.name,
    site: account.site,
    region: region.name,
    accountKeys: account.settings,
    regionKeys: region.settings,
  };
  const records: TargetRecord[] = [];
  return collectors.all.flatMap((collector) => {
    const targets = collector.plan(settings, records);
    for (const target of targets) {
      const record = recordOf(targetKey(target));
      if (record !== undefined) records.push(record);
    }
    return targets;
  });
}
