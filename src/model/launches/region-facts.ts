/** What the targets of a region say together about its launches. Collectors fill it, and the judgement reads it. Pure. */
import type { LaunchFacts, PriceAnswer, RegionFacts } from './launch.ts';
import { isReportable, type Quota, type ReportableQuotas } from '../quota.ts';
import type { BlockedSince } from '../record.ts';

/** What the record of one target says about the launches of its region. */
export interface TargetFacts extends LaunchFacts {
  /** Whether its answer is of the present: neither failing nor stale. */
  readonly isUp: boolean;
  /** Its operation, if the credentials are not allowed it, and others of the account are. */
  readonly notPermitted?: string | null;
  readonly quotas: readonly Quota[];
  /** The quotas that the target asks for. */
  readonly reportable: readonly ReportableQuotas[];
  readonly blockedSince: BlockedSince;
  /** What a check calls its launches, which it asks about. */
  readonly source?: string;
  /** Whether what its launches take is gone for the targets after it. Default: no. */
  readonly takes?: boolean;
  /** Whether an override may mute its launches. Default: yes. */
  readonly isMutable?: boolean;
}

/** The launch configurations that the targets read, by their IDs. */
export function configurationsById(targets: readonly TargetFacts[]) {
  const all = targets.flatMap(({ configurations = [] }) => configurations);
  return new Map(all.map((configuration) => [configuration.id, configuration]));
}

/** A region of an account. */
export type Place = Pick<RegionFacts, 'account' | 'region'>;

/** What the targets of a region say together. What fails or is stale is unknown. */
export function regionFactsOf(place: Place, targets: readonly TargetFacts[]): RegionFacts {
  const reportable = targets.flatMap((target) => target.reportable);
  const up = targets.filter(({ isUp }) => isUp);
  const areConfigurationsRead = up.some(({ configurations }) => configurations !== undefined);
  const configurations = configurationsById(areConfigurationsRead ? targets : []);
  return {
    ...place,
    stock: up.find(({ stock }) => stock)?.stock ?? null,
    subnets: observedIn(targets, ({ subnets }) => subnets),
    placementGroups: observedIn(targets, ({ placementGroups }) => placementGroups),
    disks: up.find(({ disks }) => disks !== undefined)?.disks ?? null,
    groups: new Map(
      up.flatMap(({ groups = [] }) =>
        groups.map((group) => {
          const configuration = configurations.get(group.configurationId ?? '') ?? null;
          return [group.id, { group, configuration }] as const;
        }),
      ),
    ),
    prices: new Map(
      targets.flatMap(({ isUp, prices }) =>
        prices === undefined
          ? []
          : [[prices.templateId, isUp ? prices.answers : prices.answers.map(unanswered)]],
      ),
    ),
    notPermitted: new Set(targets.flatMap(({ notPermitted }) => notPermitted ?? [])),
    isQuotaAsked: (type, zone) => isReportable(reportable, { type, zone: zone || null }),
    quotas: up.flatMap(({ quotas }) => quotas),
  };
}

const unanswered = (answer: PriceAnswer): PriceAnswer => {
  return { ...answer, code: null, reason: null, atMs: null };
};

/** The subnets or placement groups of all targets, by ID. */
function observedIn<Resource extends { readonly id: string }>(
  targets: readonly TargetFacts[],
  resourcesOf: (target: TargetFacts) => readonly Resource[] | undefined,
) {
  return new Map(
    targets.flatMap((target) =>
      (resourcesOf(target) ?? []).map((each) => [each.id, { ...each, isPresent: target.isUp }]),
    ),
  );
}
