/**
 * The thresholds of quotas and launches, and their overrides (docs/configuration.md): how much must remain, and the state
 * of a quota by that. `config/thresholds-schema.ts` reads them, `expose/evaluation.ts` judges quotas by them, and
 * `judge-region.ts` mutes launches. Pure.
 */
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

/** The keys of a filter, with which the configuration names quotas and launches. */
const filterKeys = [
  'accounts',
  'regions',
  // A quota of a whole region has no zone, so it is in no list of zones.
  'zones',
  // Launches have none.
  'quota_types',
  // IDs. Of quotas, only those of template versions have one.
  'launch_templates',
  // IDs. No quota has one.
  'scaling_groups',
  // IDs: the quotas of these, and the launches into these only.
  'subnets',
  'placement_groups',
  // The charge types of launches, and of the quotas that count their instances.
  'charge_types',
] as const;

/** The quotas and launches that an override applies to. A key that is absent: every name. */
export type OverrideFilter = Readonly<
  Partial<Record<(typeof filterKeys)[number], readonly string[] | undefined>>
>;

export interface ThresholdOverride {
  readonly filter: OverrideFilter;
  /** `null` mutes the quotas, which have no thresholds then, and the launches. */
  readonly thresholds: ThresholdPair | null;
  /** The end of the override, excluded. Milliseconds since the Unix epoch; `Infinity` without an end. */
  readonly untilMs: number;
}

/** The thresholds of all quotas. The first override that applies to a quota replaces the general pair. */
export interface Thresholds extends ThresholdPair {
  readonly overrides: readonly ThresholdOverride[];
}

const thresholdPattern = /^(?<share>\d{1,3}(?:\.\d{1,2})?)%$|^(?<count>\d{1,16})$/;

/** Reads `20%` or `5`. Returns `null` for any other text, such as `0.2` or `101%`. */
export function parseThreshold(text: string): Threshold | null {
  const { share, count } = thresholdPattern.exec(text)?.groups ?? {};
  if (count !== undefined) return { count: Number(count) };
  if (share === undefined || Number(share) > 100) return null;
  return { basisPoints: Math.round(Number(share) * 100) };
}

/** The inverse of {@link parseThreshold}: `20%` or `5`. */
export function thresholdText(threshold: Threshold): string {
  return 'count' in threshold ? String(threshold.count) : `${threshold.basisPoints / 100}%`;
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

/**
 * Returns a function that gives the thresholds of a quota of the target, as counts in the unit of the quota: it has a severity
 * when less than this remains. `null` for a muted quota.
 *
 * @param thresholds without the overrides that have ended
 */
export function thresholdsOf(
  { overrides, ...general }: Thresholds,
  { account, region, resource }: Pick<Target, 'account' | 'region' | 'resource'>,
) {
  return ({ labels, limit, type, zone }: Pick<Quota, 'labels' | 'limit' | 'type' | 'zone'>) => {
    const names: Readonly<Record<string, string>> = { ...resource, ...labels };
    const override = firstOverrideFor(overrides, {
      accounts: [account],
      regions: [region],
      zones: [zone],
      quota_types: [type],
      launch_templates: [names['template_id']],
      scaling_groups: [],
      subnets: [names['subnet_id']],
      placement_groups: [names['placement_group_id']],
      charge_types: [type],
    });
    const pair = override === undefined ? general : override.thresholds;
    const at = (threshold: Threshold) => remainingAt(threshold, limit);
    return pair && { warning: at(pair.warning), critical: at(pair.critical) };
  };
}

/**
 * Whether the first override that applies to a launch mutes it. One for quota types applies to no launch.
 *
 * @param thresholds without the overrides that have ended
 */
export function isLaunchMuted(
  { overrides }: Pick<Thresholds, 'overrides'>,
  launch: LaunchNames,
): boolean {
  const override = firstOverrideFor(overrides, {
    accounts: [launch.account],
    regions: [launch.region],
    zones: [launch.zone],
    quota_types: [],
    launch_templates: [launch.templateId],
    scaling_groups: [launch.groupId],
    subnets: launch.subnets ?? [],
    placement_groups: launch.placementGroups ?? [],
    charge_types: [launch.chargeType],
  });
  return override?.thresholds === null;
}

/** The fields of a launch that an override looks at. */
type LaunchNames = Pick<Target, 'account' | 'region'> &
  Pick<Launch, 'zone' | 'templateId' | 'groupId' | 'subnets' | 'placementGroups' | 'chargeType'>;

/**
 * The first override that applies to a quota or a launch: for each key of its filter, the quota or launch has at least one
 * name, and all its names are in the list.
 *
 * @param names of the quota or launch, by the keys of filters. One that is `undefined`, `null` or empty is in no list
 */
function firstOverrideFor(
  overrides: readonly ThresholdOverride[],
  names: Readonly<Record<keyof OverrideFilter, readonly (string | null | undefined)[]>>,
): ThresholdOverride | undefined {
  return overrides.find(({ filter }) =>
    filterKeys.every((key) => {
      const list = filter[key];
      const isListed = (name: string | null | undefined) =>
        typeof name === 'string' && list?.includes(name) === true;
      return list === undefined || (names[key].length > 0 && names[key].every(isListed));
    }),
  );
}

/**
 * A threshold as a count in the unit of the quota. A share is rounded up to a whole number: what remains is a whole number,
 * too, so it is below the count exactly when it is below the share.
 */
function remainingAt(threshold: Threshold, limit: number): number {
  if ('count' in threshold) return threshold.count;
  return Math.ceil((limit * threshold.basisPoints) / 10_000);
}

/** Whether more is in use than allowed. A limit can be lowered below the present use. */
export function isOverdrawn({ used, remaining, limit }: Quota): boolean {
  return (remaining ?? 0) < 0 || (used ?? 0) > limit;
}

/** Whether the numbers of a quota tell its state. If not, `quota-history.ts` keeps the last ones that do. */
export function canBeJudged(quota: Quota): boolean {
  return quota.remaining !== null || isOverdrawn(quota);
}

/**
 * `low`: less than the warning threshold remains. `unknown`: what remains is unknown. `none`: the limit is 0, so the account
 * does not have the quota.
 */
export type QuotaState = 'overdrawn' | 'critical' | 'low' | 'unknown' | 'fine' | 'muted' | 'none';

/** The labels of `cvm_quota_severity`: how bad a quota is, and why. */
export interface SeverityLabels {
  readonly severity: keyof ThresholdPair;
  /** `exhausted`: nothing remains. `disappeared`: it was bad before; only `expose/evaluation.ts` sets it. */
  readonly reason: 'low' | 'exhausted' | 'overdrawn' | 'disappeared';
}

/** A quota with its thresholds, its state, and its remaining share. */
export type JudgedQuota = Readonly<ReturnType<typeof judgeQuota>>;

type ThresholdCounts = ReturnType<ReturnType<typeof thresholdsOf>>;

/**
 * Judges the numbers of a quota. Whether they are stale is for the caller to see.
 *
 * @param thresholds of the quota, by {@link thresholdsOf}
 */
export function judgeQuota(quota: Quota, thresholds: ThresholdCounts) {
  const { limit, remaining } = quota;
  const state = quotaState(quota, thresholds);
  return {
    quota,
    /** `null` for a muted quota, and for a limit of 0. */
    thresholds: limit === 0 ? null : thresholds,
    state,
    /** Whether an override mutes it, whatever its state is. */
    isMuted: thresholds === null,
    /** `null` while nothing is wrong, or nothing is known. */
    severityLabels: severityLabelsOf(state, remaining),
    /**
     * The share of the limit that remains. At most 1, and negative if the quota is overdrawn. `null` if it is unknown,
     * and for a limit of 0: without a limit there is no share.
     */
    remainingShare: limit === 0 || remaining === null ? null : Math.min(1, remaining / limit),
  };
}

/**
 * An overdrawn quota needs no thresholds: more is in use than allowed. A quota with thresholds is critical when nothing
 * remains, also for a threshold of 0. A muted quota is muted whatever is unknown.
 */
function quotaState(quota: Quota, thresholds: ThresholdCounts): QuotaState {
  const { limit, remaining } = quota;
  if (isOverdrawn(quota)) return 'overdrawn';
  if (limit === 0) return 'none';
  if (thresholds === null) return 'muted';
  if (remaining === null) return 'unknown';
  if (remaining <= 0 || remaining < thresholds.critical) return 'critical';
  return remaining < thresholds.warning ? 'low' : 'fine';
}

function severityLabelsOf(state: QuotaState, remaining: number | null): SeverityLabels | null {
  if (state === 'overdrawn') return { severity: 'critical', reason: 'overdrawn' };
  if (state === 'low') return { severity: 'warning', reason: 'low' };
  if (state !== 'critical') return null;
  const isExhausted = remaining !== null && remaining <= 0;
  return { severity: 'critical', reason: isExhausted ? 'exhausted' : 'low' };
}

/** Orders quotas of one state: the lowest remaining share first, then the lowest remaining amount, unknown shares last. */
export function compareRemaining(a: Omit<JudgedQuota, 'state'>, b: Omit<JudgedQuota, 'state'>) {
  // No share is above 1.
  const byShare = (a.remainingShare ?? 2) - (b.remainingShare ?? 2);
  return byShare || (a.quota.remaining ?? 0) - (b.quota.remaining ?? 0);
}
