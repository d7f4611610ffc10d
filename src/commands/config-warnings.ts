/** The warnings of `check-config` about names and thresholds of a valid configuration that are probably mistakes. */
import { collectors } from '../collectors/collectors.ts';
import type { Config } from '../config/config.ts';
import type { Target } from '../model/target.ts';
import { thresholdsOf, type Thresholds } from '../model/thresholds.ts';
import { suggestion } from '../validation/nearest.ts';

/** The regions of the service in November 2025 (docs/service.md, section 11). */
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

/** Limits that most accounts have. The other types have limits of hundreds. */
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
