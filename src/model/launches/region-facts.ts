/**
 * What the targets of a region say together about its launches. `judge-region.ts` judges by it, `collectors/price.ts` plans
 * by it which prices to ask for, and `asked.ts` finds alternatives. Pure.
 */
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
  /** Whether its answer is of the present: neither failing nor stale. Plans count older answers, too. */
  readonly isUp: boolean;
  /** The operation of the target if it is a part of launches and denied (`isDenied()`). Else `null` or absent. */
  readonly notPermitted?: string | null;
  readonly quotas: readonly Quota[];
  /** The quotas that the target asks for. */
  readonly reportable: readonly ReportableQuotas[];
  readonly blockedSince: BlockedSince;
  /** How a check asks about its launches. Absent where they are watched. */
  readonly asked?: Asking;
}

/** The launch configurations that the targets read last, by their IDs; also if the target is failing or stale now. */
export function configurationsById(targets: readonly TargetFacts[]) {
  return byId(targets.flatMap(({ configurations = [] }) => configurations));
}

/** A region of an account. */
export type Place = Pick<Target, 'account' | 'region'>;

/** The result of {@link regionFactsOf}. */
export type RegionFacts = Readonly<ReturnType<typeof regionFactsOf>>;

/**
 * Joins what the targets of a region say. What a failing or stale target says is unknown. Each field says it in one way:
 * stock and disks are `null`, a group, configuration or quota is absent, a subnet or placement group has `isCurrent: false`,
 * and an answer of a price stays in its list with `atMs: null`.
 */
export function regionFactsOf(targets: readonly TargetFacts[]) {
  const up = targets.filter(({ isUp }) => isUp);
  return {
    /** `null` while it is unknown; also before the first answer. */
    stock: up.find(({ stock }) => stock)?.stock ?? null,
    /** By ID, each with `isCurrent`. */
    subnets: observedIn(targets, 'subnets'),
    /** By ID, each with `isCurrent`. */
    placementGroups: observedIn(targets, 'placementGroups'),
    /** `null` while it is unknown; also before the first answer. */
    disks: up.find(({ disks }) => disks !== undefined)?.disks ?? null,
    /** The scaling groups, by ID. */
    groups: byId(up.flatMap(({ groups = [] }) => groups)),
    /** What the scaling groups start, by the ID of the launch configuration. */
    configurations: configurationsById(up),
    /** By the ID of a template: an answer for each version and zone that is asked for. */
    prices: new Map(
      targets.flatMap(({ isUp, prices }) => {
        if (prices === undefined) return [];
        const unanswered = { code: null, reason: null, atMs: null };
        const answers = prices.answers.map((each) => ({ ...each, ...(!isUp && unanswered) }));
        return [[prices.templateId, answers] as const];
      }),
    ),
    /** The operations that are denied: their parts set no bound. */
    notPermitted: new Set(targets.flatMap(({ notPermitted }) => notPermitted ?? [])),
    /** The quotas that the targets ask for. */
    reportable: targets.flatMap((target) => target.reportable),
    quotas: up.flatMap(({ quotas }) => quotas),
    /**
     * By the name of a quota, subnet or placement group, the launches that took of it, as a check calls them. Empty at first:
     * `factsAfter()` in `judge-launch.ts` adds them, in a check only.
     */
    takenBy: new Map<string, readonly string[]>(),
  };
}

function byId<T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}

/** The subnets or placement groups of all targets, by ID. `isCurrent`: the answer is neither failing nor stale. */
function observedIn(targets: readonly TargetFacts[], key: 'subnets' | 'placementGroups') {
  return byId(
    targets.flatMap(({ [key]: resources = [], isUp: isCurrent }) =>
      resources.map((resource) => ({ ...resource, isCurrent })),
    ),
  );
}
