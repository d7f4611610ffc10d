/** What the targets of a region say together about its launches, for the judgement and for the plan of prices. Pure. */
import type { LaunchFacts, Resource } from './launch.ts';
import { isReportable, type Quota, type ReportableQuotas } from '../quota.ts';
import type { BlockedSince } from '../record.ts';
import type { Target } from '../target.ts';

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
  /** How a check names the source that it asks about, such as `lt-b8v1kcyq@3:40`. Absent for what is watched. */
  readonly source?: string;
  /** Whether what its launches take is gone for the targets after it. Default: no. */
  readonly takes?: boolean;
  /** Whether an override may mute its launches. Default: yes. */
  readonly mayBeMuted?: boolean;
}

/** The launch configurations that the targets read, by their IDs. */
export function configurationsById(targets: readonly TargetFacts[]) {
  const all = targets.flatMap(({ configurations = [] }) => configurations);
  return new Map(all.map((configuration) => [configuration.id, configuration]));
}

/** A region of an account. */
export type Place = Pick<Target, 'account' | 'region'>;

/** What the targets of a region of an account say together about its launches. */
export type RegionFacts = Readonly<ReturnType<typeof regionFactsOf>>;

/** What the targets of a region say together. What fails or is stale is unknown. */
export function regionFactsOf(place: Place, targets: readonly TargetFacts[]) {
  const reportable = targets.flatMap((target) => target.reportable);
  const up = targets.filter(({ isUp }) => isUp);
  const configurations = configurationsById(up);
  return {
    ...place,
    /** `null` while it is unknown: not read yet, failing or stale. */
    stock: up.find(({ stock }) => stock)?.stock ?? null,
    subnets: observedIn(targets, ({ subnets }) => subnets),
    placementGroups: observedIn(targets, ({ placementGroups }) => placementGroups),
    /** `null` while it is unknown, as the stock. */
    disks: up.find(({ disks }) => disks !== undefined)?.disks ?? null,
    /** The scaling groups with what they start. `configuration`: `null` while it is unknown. */
    groups: new Map(
      up.flatMap(({ groups = [] }) =>
        groups.map((group) => {
          const configuration = configurations.get(group.configurationId ?? '') ?? null;
          return [group.id, { group, configuration }] as const;
        }),
      ),
    ),
    /** By the ID of a template: one for each version and zone that is asked for. */
    prices: new Map(
      targets.flatMap(({ isUp, prices }) => {
        if (prices === undefined) return [];
        const unanswered = { code: null, reason: null, atMs: null };
        const answers = prices.answers.map((each) => ({ ...each, ...(!isUp && unanswered) }));
        return [[prices.templateId, answers] as const];
      }),
    ),
    /** The operations that the credentials are not allowed, while others of the account are. */
    notPermitted: new Set(targets.flatMap(({ notPermitted }) => notPermitted ?? [])),
    /** Whether a target asks for the quota of a charge type in a zone. An empty zone: in any. */
    isQuotaAsked: (type: string, zone: string) =>
      isReportable(reportable, { type, zone: zone || null }),
    /** The quotas of the answers that are neither failing nor stale. */
    quotas: up.flatMap(({ quotas }) => quotas),
    /** By what launches share, the launches that have taken of it, as a check calls them. */
    takenBy: new Map<string, readonly string[]>(),
  };
}

/** The subnets or placement groups of all targets, by ID. `isCurrent`: the answer is neither failing nor stale. */
function observedIn(
  targets: readonly TargetFacts[],
  resourcesOf: (target: TargetFacts) => readonly Resource[] | undefined,
) {
  return new Map(
    targets.flatMap((target) =>
      (resourcesOf(target) ?? []).map((each) => [each.id, { ...each, isCurrent: target.isUp }]),
    ),
  );
}
