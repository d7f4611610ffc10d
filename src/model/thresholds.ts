/** The thresholds of quotas: how much must remain. docs/configuration.md explains them. */
import type { Launch } from './launches/launch.ts';
import type { Quota } from './quota.ts';
import type { Target } from './target.ts';

/**
 * What remains of a quota at the threshold: a share of its limit, or a count in its unit. A share is in
 * hundredths of a percent, because its product with a limit is then a whole number.
 */
export type Threshold = { readonly basisPoints: number } | { readonly count: number };

export interface ThresholdPair {
  readonly warning: Threshold;
  readonly critical: Threshold;
}

/** `undefined` does not restrict them. */
type NameList = readonly string[] | undefined;

/** The quotas and launches that an override applies to, by the keys of the configuration. */
export interface OverrideFilter {
  readonly accounts?: NameList;
  readonly regions?: NameList;
  /** A quota of a whole region has no zone, so it is in no list of zones. */
  readonly zones?: NameList;
  readonly quota_types?: NameList;
  /** The IDs of templates. Only their versions and launches have one. */
  readonly launch_templates?: NameList;
  /** The IDs of subnets: their addresses, and the launches into no other ones. */
  readonly subnets?: NameList;
  /** The charge types of launches, and the types of the quotas that count them. */
  readonly charge_types?: NameList;
}

export interface ThresholdOverride {
  readonly filter: OverrideFilter;
  /** `null` mutes the quotas: they have no thresholds. */
  readonly thresholds: ThresholdPair | null;
  /** The end of the override, excluded. Milliseconds since the Unix epoch; `Infinity` without an end. */
  readonly untilMs: number;
}

/** The thresholds of all quotas. The first override that applies to a quota replaces the general pair. */
export interface Thresholds extends ThresholdPair {
  readonly overrides: readonly ThresholdOverride[];
}

/**
 * The thresholds of one quota, as counts in its unit. A quota has a severity when less than this remains.
 */
export interface RemainingThresholds {
  readonly warning: number;
  readonly critical: number;
}

/** Gives the thresholds of the quotas of one target. `null` for a muted quota, and for a limit of 0. */
export type ThresholdsOfQuota = (
  quota: Pick<Quota, 'labels' | 'limit' | 'type' | 'zone'>,
) => RemainingThresholds | null;

const thresholdPattern = /^(?<share>\d{1,3}(?:\.\d{1,2})?)%$|^(?<count>\d{1,16})$/;

/** Reads `20%` or `5`. Returns `null` for any other text, such as `0.2` or `101%`. */
export function parseThreshold(text: string): Threshold | null {
  const { share, count } = thresholdPattern.exec(text)?.groups ?? {};
  if (count !== undefined) return { count: Number(count) };
  if (share === undefined || Number(share) > 100) return null;
  return { basisPoints: Math.round(Number(share) * 100) };
}

/** The form that {@link parseThreshold} reads. */
export function thresholdText(each: Threshold): string {
  return 'count' in each ? String(each.count) : `${each.basisPoints / 100}%`;
}

/** Whether the critical threshold is above the warning. A share and a count cannot be compared. */
export function isCriticalAboveWarning({ warning, critical }: ThresholdPair): boolean {
  if ('count' in warning) return 'count' in critical && critical.count > warning.count;
  return 'basisPoints' in critical && critical.basisPoints > warning.basisPoints;
}

/** The thresholds without the overrides that have ended. */
export function thresholdsAt(thresholds: Thresholds, nowMs: number): Thresholds {
  const overrides = thresholds.overrides.filter(({ untilMs }) => nowMs < untilMs);
  return { ...thresholds, overrides };
}

/** @param thresholds without the overrides that have ended */
export function thresholdsOf(
  { overrides, ...general }: Thresholds,
  { account, region, resource }: Pick<Target, 'account' | 'region' | 'resource'>,
): ThresholdsOfQuota {
  return ({ labels, limit, type, zone }) => {
    if (limit === 0) return null;
    const { subnet_id: subnet = null, template_id: templateId = null } = { ...resource, ...labels };
    const named = { account, region, zone, templateId, subnets: [subnet] };
    const override = firstOverrideFor(overrides, { ...named, quotaType: type, chargeType: type });
    const pair = override === undefined ? general : override.thresholds;
    return (
      pair && {
        warning: remainingAt(pair.warning, limit),
        critical: remainingAt(pair.critical, limit),
      }
    );
  };
}

/**
 * Whether the first override that applies to a launch mutes it. One for quota types applies to no launch.
 *
 * @param thresholds without the overrides that have ended
 */
export function isLaunchMuted(
  { overrides }: Pick<Thresholds, 'overrides'>,
  launch: Pick<Launch, 'templateId' | 'zone' | 'chargeType' | 'subnets'> &
    Pick<Target, 'account' | 'region'>,
): boolean {
  return firstOverrideFor(overrides, { ...launch, quotaType: null })?.thresholds === null;
}

/** The names of a quota or a launch. */
interface OverrideSubject extends Pick<Target, 'account' | 'region'> {
  readonly zone: string | null;
  readonly quotaType: string | null;
  readonly templateId: string | null;
  readonly subnets: readonly (string | null)[] | null;
  readonly chargeType: string | null;
}

function firstOverrideFor(
  overrides: readonly ThresholdOverride[],
  named: OverrideSubject,
): ThresholdOverride | undefined {
  return overrides.find(
    ({ filter }) =>
      coversEach(filter.accounts, named.account) &&
      coversEach(filter.regions, named.region) &&
      coversEach(filter.zones, named.zone) &&
      coversEach(filter.quota_types, named.quotaType) &&
      coversEach(filter.launch_templates, named.templateId) &&
      coversEach(filter.subnets, ...(named.subnets ?? [])) &&
      coversEach(filter.charge_types, named.chargeType),
  );
}

/** A list admits what has a name, if it has each of its names. */
function coversEach(list: NameList, ...names: readonly (string | null)[]): boolean {
  if (list === undefined) return true;
  return names.length > 0 && names.every((name) => list.some((each) => each === name));
}

/**
 * A share is rounded up to a whole number. Less than that remains exactly when less than the share remains,
 * because what remains is a whole number too.
 */
function remainingAt(each: Threshold, limit: number): number {
  return 'count' in each ? each.count : Math.ceil((limit * each.basisPoints) / 10_000);
}
