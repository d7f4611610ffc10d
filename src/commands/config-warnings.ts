/** The warnings of `check-config` about names in a valid configuration that are probably mistakes. */
import type { Config } from '../config/config.ts';
import type { OverrideFilter } from '../model/thresholds.ts';
import { localDate } from '../schedule/local-days.ts';
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

/** A filter by the keys of the configuration, such as `regions ap-guangzhou; quota_types image`. */
export function filterText(filter: OverrideFilter): string {
  const parts = Object.entries({ ...filter }).flatMap(([key, names]) =>
    names === undefined ? [] : `${key} ${names.join(', ')}`,
  );
  return parts.join('; ') || 'every quota';
}

/** Warns about overrides that have ended, and about those of accounts and regions that the configuration does not have. */
export function overrideWarnings(
  { accounts, poll, thresholds: { overrides } }: Config,
  nowMs: number,
): string[] {
  return overrides.flatMap(({ filter, untilMs }, i) => {
    const name = `thresholds.overrides[${i}] (${filterText(filter)})`;
    // The end is excluded, so the last day ends a millisecond before it.
    if (untilMs <= nowMs) return `${name} ended with ${localDate(untilMs - 1, poll.timezone)}`;
    const isSelected = (names: readonly string[] | undefined, each: { readonly name: string }) =>
      names?.includes(each.name) ?? true;
    const mayApply = accounts
      .filter((account) => isSelected(filter.accounts, account))
      .some(({ discoveredRegions, regions }) => {
        const isNamed = regions.some((region) => isSelected(filter.regions, region));
        return discoveredRegions !== null || isNamed;
      });
    return mayApply ? [] : `${name} applies to nothing that is configured`;
  });
}
