/** The warnings of `check-config` about names and thresholds of a valid configuration that are probably mistakes. */
import { collectors } from '../collectors/collectors.ts';
import { launchTemplateListCollector } from '../collectors/launch-template-list.ts';
import { placeholderRegion } from '../collectors/plan.ts';
import { isZoneOf } from '../collectors/rows.ts';
import { scalingGroupCollector } from '../collectors/scaling/groups.ts';
import { stockCollector } from '../collectors/stock/stock.ts';
import type { Config } from '../config/config.ts';
import type { Target } from '../model/target.ts';
import { thresholdsOf, type OverrideFilter, type Thresholds } from '../model/thresholds.ts';
import { localDate } from '../schedule/local-days.ts';
import { suggestion } from '../validation/nearest.ts';

/** The regions of the service in November 2025 (docs/service.md, section 11). `init` suggests them, too. */
export const knownRegions = [
  ...['ap-bangkok', 'ap-beijing', 'ap-chengdu', 'ap-chongqing', 'ap-guangzhou', 'ap-hongkong'],
  ...['ap-jakarta', 'ap-nanjing', 'ap-seoul', 'ap-shanghai', 'ap-shanghai-fsi', 'ap-shenzhen-fsi'],
  ...['ap-singapore', 'ap-tokyo', 'eu-frankfurt', 'na-ashburn', 'na-siliconvalley', 'sa-saopaulo'],
];

/** Warns about regions that are not in {@link knownRegions}. No mistakes: the service adds regions. */
export function regionWarnings({ accounts }: Config): string[] {
  const names = accounts.flatMap(({ discoveredRegions, regions }) => [
    ...regions.map(({ name }) => name),
    ...(discoveredRegions?.except ?? []),
  ]);
  return [...new Set(names)]
    .filter((name) => !knownRegions.includes(name))
    .map(
      (name) =>
        `${name} is none of the regions that were known in November 2025${suggestion(name, knownRegions)}`,
    );
}

/** By quota type, the limit that most accounts have. The other types have limits of hundreds, so no count is too high. */
const usualLimits: ReadonlyMap<string, number> = new Map([
  ['image', 10],
  ['disaster_recover_group', 10],
  ['launch_template_versions', 30],
]);

/**
 * Warns about counts above the usual limit of a quota, which make it low for ever.
 *
 * @param thresholds without the overrides that have ended
 */
export function countWarnings(thresholds: Thresholds, targets: readonly Target[]): string[] {
  const warnings = targets.flatMap((target) => {
    const thresholdsOfQuota = thresholdsOf(thresholds, target);
    const reportable = collectors.of(target).reportableQuotas(target);
    return reportable.flatMap(({ type }) => {
      const limit = usualLimits.get(type) ?? Infinity;
      const counts = thresholdsOfQuota({ type, limit, zone: null, labels: {} });
      const count = Math.max(counts?.warning ?? 0, counts?.critical ?? 0);
      return count > limit
        ? `a threshold of ${type} is ${count}: its usual limit is ${limit}, so fewer always remain`
        : [];
    });
  });
  return [...new Set(warnings)];
}

/** A filter by the keys of the configuration, such as `regions ap-guangzhou; quota_types image`. */
export function filterText(filter: OverrideFilter): string {
  const parts = Object.entries({ ...filter }).flatMap(([key, names]) =>
    names === undefined ? [] : `${key} ${names.join(', ')}`,
  );
  return parts.join('; ') || 'every quota';
}

/** Warns about overrides that have ended, and about those that can apply to nothing that the configuration names. */
export function overrideWarnings(config: Config, targets: readonly Target[], nowMs: number) {
  const { poll, thresholds } = config;
  return thresholds.overrides.flatMap(({ filter, untilMs }, i) => {
    const name = `thresholds.overrides[${i}] (${filterText(filter)})`;
    // The end is excluded, so the last day ends a millisecond before it.
    if (untilMs <= nowMs) return `${name} ended with ${localDate(untilMs - 1, poll.timezone)}`;
    const mayApply = targets.some((target) => mayApplyTo(filter, target, targets));
    return mayApply ? [] : `${name} applies to nothing that is configured`;
  });
}

/**
 * Whether an override can apply to what {@link possibleNames} lists for a target: one entry must have, for each key of the
 * filter, one of the names in the filter.
 */
function mayApplyTo(filter: OverrideFilter, target: Target, all: readonly Target[]): boolean {
  const { region } = target;
  const isZoneHere = (zone: string) => region === placeholderRegion || isZoneOf(region, zone);
  const wanted = Object.entries({ ...filter, zones: filter.zones?.filter(isZoneHere) });
  return possibleNames(target, all).some((possible: Readonly<Record<string, Names>>) =>
    wanted.every(([key, names]) => {
      const { [key]: possibleOfKey = [] } = possible;
      const isPossible = (name: string) => possibleOfKey === null || possibleOfKey.includes(name);
      return names === undefined || names.some(isPossible);
    }),
  );
}

/** The names that a quota or a launch can have. `null`: any, because answers name them. Empty or `undefined`: none. */
type Names = readonly string[] | null | undefined;
/** The names by the keys of a filter. An absent key: a filter with this key cannot apply. */
type PossibleNames = Readonly<Partial<Record<keyof OverrideFilter, Names>>>;

/**
 * The names of each quota of a target. The target of the stock of a region stands for the launches of the region: an entry for
 * those of templates, and one for those of scaling groups.
 */
function possibleNames(target: Target, all: readonly Target[]): readonly PossibleNames[] {
  const { account, operation, region } = target;
  const place = { accounts: [account], regions: region === placeholderRegion ? null : [region] };
  if (findsTemplates(target)) {
    return [{ ...place, quota_types: ['launch_template_versions'], launch_templates: null }];
  }
  if (operation === stockCollector.operation) {
    const here = all.filter((other) => other.account === account && other.region === region);
    const launch_templates = here.some(findsTemplates) ? null : templatesOf(here);
    const any = { zones: null, subnets: null, placement_groups: null, charge_types: null };
    // Launches find the resources of these quotas.
    const quota_types = ['subnet_addresses', 'placement_group_instances'];
    const findsGroups = (other: Target) => other.operation === scalingGroupCollector.operation;
    const ofAny = { ...place, ...any, quota_types };
    return [
      { ...ofAny, launch_templates },
      { ...ofAny, scaling_groups: here.some(findsGroups) ? null : [] },
    ];
  }
  const quotas = collectors.of(target).reportableQuotas(target);
  const ofTarget = { ...place, launch_templates: templatesOf([target]) };
  return quotas.map(({ resources, type, zones }) => {
    return { ...ofTarget, quota_types: [type], charge_types: [type], zones, subnets: resources };
  });
}

/** True for a target whose answers find launch templates. */
export function findsTemplates({ operation }: Target): boolean {
  return operation === launchTemplateListCollector.operation;
}

/** The IDs of the launch templates whose versions the targets ask for. */
function templatesOf(targets: readonly Target[]): readonly string[] {
  return targets.flatMap(({ resource }) => resource?.['template_id'] ?? []);
}
