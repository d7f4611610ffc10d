/** What the targets of a region say together about its launches, for the judgement and for the plan of prices. Pure. */
import type { LaunchFacts } from './launch.ts';
import type { Quota, ReportableQuotas } from '../quota.ts';
import type { BlockedSince } from '../record.ts';
import type { Target } from '../target.ts';

/** How a check asks about a launch. */
export interface Asking {
  /** What the check calls the launch, such as `lt-b8v1kcyq@3:40`. */
  readonly name: string;
  /** Whether the daemon judges the launch, too, so that the configuration may mute it. Default: no. */
  readonly isWatched?: boolean;
  /** Whether it only could take the place of a launch: then it takes nothing from the others. Default: no. */
  readonly isAlternative?: boolean;
}

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
  /** How a check asks about its launches. Absent where they are watched. */
  readonly asked?: Asking;
}

/** The launch configurations that the targets read, by their IDs. */
export function configurationsById(targets: readonly TargetFacts[]) {
  return byId(targets.flatMap(({ configurations = [] }) => configurations));
}

/** A region of an account. */
export type Place = Pick<Target, 'account' | 'region'>;

/** What the targets of a region of an account say together about its launches. */
export type RegionFacts = Readonly<ReturnType<typeof regionFactsOf>>;

/** What the targets of a region say together. What fails or is stale is unknown. */
export function regionFactsOf(targets: readonly TargetFacts[]) {
  const up = targets.filter(({ isUp }) => isUp);
  return {
    /** `null` while it is unknown: not read yet, failing or stale. */
    stock: up.find(({ stock }) => stock)?.stock ?? null,
    subnets: observedIn(targets, 'subnets'),
    placementGroups: observedIn(targets, 'placementGroups'),
    /** `null` while it is unknown, as the stock. */
    disks: up.find(({ disks }) => disks !== undefined)?.disks ?? null,
    /** The scaling groups by their IDs. One that is unknown is absent. */
    groups: byId(up.flatMap(({ groups = [] }) => groups)),
    /** What the scaling groups start, by the IDs of the launch configurations. One that is unknown is absent. */
    configurations: configurationsById(up),
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
    /** The quotas that the targets ask for. */
    reportable: targets.flatMap((target) => target.reportable),
    /** The quotas of the answers that are neither failing nor stale. */
    quotas: up.flatMap(({ quotas }) => quotas),
    /** By what launches share, the launches that have taken of it, as a check calls them. */
    takenBy: new Map<string, readonly string[]>(),
  };
}

function byId<T extends { readonly id: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((each) => [each.id, each]));
}

/** The subnets or placement groups of all targets, by ID. `isCurrent`: the answer is neither failing nor stale. */
function observedIn(targets: readonly TargetFacts[], key: 'subnets' | 'placementGroups') {
  return byId(
    targets.flatMap(({ [key]: resources = [], isUp: isCurrent }) =>
      resources.map((resource) => ({ ...resource, isCurrent })),
    ),
  );
}
