/** Finds overrides of thresholds that have no effect. */
import type { ReportableQuotas } from '../collectors/collector.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Target } from '../model/target.ts';
import { everyQuota, type QuotaFilter, type ThresholdOverride } from '../model/thresholds.ts';
import type { Config } from './config.ts';
import { anyRegionName } from './targets.ts';
import { localDate } from './time-zone.ts';

/** The quotas of one type that are watched in a region of an account. */
interface WatchedQuotas extends ReportableQuotas {
  readonly account: string;
  readonly region: string;
  /** The regions that {@link anyRegionName} does not include. */
  readonly except: readonly string[];
}

const nouns = {
  accounts: 'account',
  regions: 'region',
  zones: 'zone',
  quotaTypes: 'quota type',
} as const satisfies Record<keyof QuotaFilter, string>;

const keys = ['accounts', 'regions', 'zones', 'quotaTypes'] as const;

/**
 * A sentence for each override that has ended, never applies, or names something that no target has. Regions
 * that discovery finds can have any name.
 */
export function overrideProblems(
  { accounts, poll, thresholds: { overrides } }: Config,
  targets: readonly Target[],
  collectors: CollectorSet,
  nowMs: number,
): string[] {
  const exceptions = new Map(
    accounts.map(({ name, everyRegion }) => [name, everyRegion?.except ?? []]),
  );
  const watched = targets.flatMap((target) =>
    collectors
      .of(target)
      .reportableQuotas(target)
      .map((quotas) => ({
        ...quotas,
        account: target.account,
        region: target.region,
        except: exceptions.get(target.account) ?? [],
      })),
  );
  return overrides.flatMap((override, i) => {
    const name = `thresholds.overrides[${i}]`;
    if (override.untilMs <= nowMs) {
      return [`${name} ended with ${localDate(override.untilMs - 1, poll.timezone)}; remove it`];
    }
    const unknown = unknownNames(override.filter, watched);
    if (unknown.length > 0) return unknown.map((what) => `${name}: no watched quota has ${what}`);
    if (!watched.some((quotas) => matches(override.filter, quotas))) {
      return [`${name} matches no watched quota`];
    }
    const first = overrides.slice(0, i).findIndex((other) => hides(other, override));
    return first === -1
      ? []
      : [`${name} never applies: thresholds.overrides[${first}] comes first`];
  });
}

/** The names of a filter that no quota has, such as `the zone ap-x-9`. */
function unknownNames(filter: QuotaFilter, watched: readonly WatchedQuotas[]): string[] {
  return keys.flatMap((key) =>
    (filter[key] ?? [])
      .filter((name) => !watched.some((each) => matches({ ...everyQuota, [key]: [name] }, each)))
      .map((name) => `the ${nouns[key]} ${name}`),
  );
}

function matches(
  { accounts, regions, zones, quotaTypes }: QuotaFilter,
  watched: WatchedQuotas,
): boolean {
  return (
    (accounts?.includes(watched.account) ?? true) &&
    (quotaTypes?.includes(watched.type) ?? true) &&
    (regions?.some((region) => isRegionOf(region, watched)) ?? true) &&
    (zones?.some((zone) => isZoneOf(zone, watched)) ?? true)
  );
}

function isRegionOf(name: string, { region, except }: WatchedQuotas): boolean {
  return region === anyRegionName ? !except.includes(name) : region === name;
}

function isZoneOf(name: string, { region, zones }: WatchedQuotas): boolean {
  if (zones !== null) return zones.includes(name);
  return region === anyRegionName || name.startsWith(`${region}-`);
}

/** Whether an override applies wherever and as long as a later one would. */
function hides(first: ThresholdOverride, later: ThresholdOverride): boolean {
  return (
    first.untilMs >= later.untilMs &&
    keys.every((key) => {
      const names = first.filter[key];
      return names === null || (later.filter[key]?.every((name) => names.includes(name)) ?? false);
    })
  );
}
