/** What a check asks about: launches of targets, or given ones, each for a number of instances. Pure. */
import type { TargetFacts } from './judge-region.ts';
import type { Launch, LaunchConfiguration, ScalingGroup, UnjudgedLaunch } from './launch.ts';

/** What a check asks about: would so many instances of it start? */
export interface AskedSource {
  /** What the check calls it, such as `lt-b8v1kcyq@3:40`. */
  readonly name: string;
  /** Empty if the configuration has no account for it. */
  readonly account: string;
  readonly region: string;
  /** A watched one by its ID, or the launch itself. */
  readonly launch: Launch | UnjudgedLaunch | AskedGroup | TemplateVersion | GroupId;
  /** `null` while it is unknown. */
  readonly count: number | null;
}

/** A scaling group that does not exist yet, and what it starts. */
interface AskedGroup {
  readonly group: ScalingGroup;
  readonly configuration: LaunchConfiguration;
}

interface GroupId {
  readonly scalingGroup: string;
}

/** A version of a template. `null`: the default one. */
interface TemplateVersion {
  readonly template: string;
  readonly version: number | null;
}

/** The versions of a template that sources ask about, each once. */
export function versionsAsked(
  sources: readonly AskedSource[],
  template: string,
): readonly (number | null)[] {
  return [
    ...new Set(
      sources.flatMap(({ launch }) =>
        'template' in launch && launch.template === template ? [launch.version] : [],
      ),
    ),
  ];
}

/**
 * The facts of a region with what the sources ask about in place of what its targets start. Launches with a zone come first:
 * they have no choice.
 */
export function askedFacts(
  sources: readonly AskedSource[],
  targets: readonly TargetFacts[],
): readonly TargetFacts[] {
  const watched = targets.map((target) => ({ ...target, groups: [], launches: [] }));
  const asked = sources.map((source): TargetFacts => {
    const { isUp = true, ...found } = factsOf(source, sources, targets);
    const nothing = { stock: null, quotas: [], reportable: [], blockedSince: {} };
    return { ...nothing, ...found, isUp, source: source.name };
  });
  const hasChoice = ({ launches: [launch] = [] }: TargetFacts) =>
    launch === undefined || (!('unjudged' in launch) && launch.zone === '');
  return [...watched, ...asked.toSorted((a, b) => Number(hasChoice(a)) - Number(hasChoice(b)))];
}

type FoundFacts = Pick<TargetFacts, 'launches' | 'groups' | 'configurations'> & {
  readonly isUp?: boolean;
};

/** What a source starts, as it is given or as a target says. */
function factsOf(
  { count, launch }: AskedSource,
  sources: readonly AskedSource[],
  targets: readonly TargetFacts[],
): FoundFacts {
  if ('group' in launch) return { groups: [launch.group], configurations: [launch.configuration] };
  if ('scalingGroup' in launch) {
    const isOwn = ({ id }: ScalingGroup) => id === launch.scalingGroup;
    const target = targets.find(({ groups = [] }) => groups.some(isOwn));
    const group = target?.groups?.find(isOwn);
    if (target === undefined || group === undefined) return unjudged('it could not be read');
    // Nothing reads its launch configuration.
    if (group.isEnabled === false) return unjudged('the scaling group is disabled');
    const instances = group.instances ?? 0;
    const most = count === null ? null : instances + count;
    const asked = { instances, desiredCapacity: most, maxSize: most };
    return { isUp: target.isUp, groups: [{ ...group, ...asked }] };
  }
  if (!('template' in launch)) {
    return { launches: ['unjudged' in launch ? launch : { ...launch, count }] };
  }
  const target = targets.find(({ launches = [] }) =>
    launches.some(({ templateId }) => templateId === launch.template),
  );
  const position = versionsAsked(sources, launch.template).indexOf(launch.version);
  const found = target?.launches?.[position];
  if (target === undefined || found === undefined) return unjudged('it could not be read');
  return { isUp: target.isUp, launches: ['unjudged' in found ? found : { ...found, count }] };
}

function unjudged(why: string): FoundFacts {
  const name = { templateId: '', groupId: '', templateName: '', version: null };
  return { launches: [{ ...name, unjudged: why }] };
}
