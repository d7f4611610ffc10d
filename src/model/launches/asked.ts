/** What a check asks about: launches of targets, or given ones, each for a number of instances. Pure. */
import type { Texts } from '../texts/texts.ts';
import type { EvaluatedLaunch } from './judge-region.ts';
import { regionFactsOf, type Asking, type RegionFacts, type TargetFacts } from './region-facts.ts';
import { remainingOf } from './parts/part.ts';
import {
  ofNoTemplate,
  plainLaunch,
  type Launch,
  type LaunchConfiguration,
  type ScalingGroup,
  type SizedType,
  type UnjudgedLaunch,
} from './launch.ts';

/** What a check asks about: would so many instances of it start? */
export interface AskedSource extends Asking {
  /** Empty if the configuration has no account for it. */
  readonly account: string;
  readonly region: string;
  /**
   * The launch itself, a scaling group that does not exist yet, a watched one by its ID, or a version of a template.
   * `null`: its default version.
   */
  readonly launch:
    | Launch
    | UnjudgedLaunch
    | { readonly group: ScalingGroup; readonly configuration: LaunchConfiguration }
    | { readonly scalingGroup: string }
    | { readonly template: string; readonly version: number | null };
  /** `null` while it is unknown. */
  readonly count: number | null;
}

/** The versions of a template that sources ask about, each once. */
export function versionsAsked(
  sources: readonly AskedSource[],
  template: string,
): readonly (number | null)[] {
  const versions = sources.flatMap(({ launch }) =>
    'template' in launch && launch.template === template ? [launch.version] : [],
  );
  return [...new Set(versions)];
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
    const nothing = { isUp: true, stock: null, quotas: [], reportable: [], blockedSince: {} };
    return { ...nothing, ...factsOf(source, sources, targets), asked: source };
  });
  const hasChoice = ({ launches: [launch] = [] }: TargetFacts) =>
    launch === undefined || (!('unjudged' in launch) && launch.zone === '');
  return [...watched, ...asked.toSorted((a, b) => Number(hasChoice(a)) - Number(hasChoice(b)))];
}

/** What a source starts, as it is given or as a target says. */
function factsOf(
  { count, launch }: AskedSource,
  sources: readonly AskedSource[],
  targets: readonly TargetFacts[],
): Partial<TargetFacts> {
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

function unjudged(why: string): Partial<TargetFacts> {
  return { launches: [{ ...ofNoTemplate, unjudged: why }] };
}

/** How many candidates are judged. */
const maxCandidates = 12;

/**
 * Launches of the same size, charge type and count as a blocked one, that may hold it: its type elsewhere, then its family, then
 * others of the kind, where most is left first. In another zone, a subnet of its VPC with room takes the place of its own; if
 * none is watched, the candidate has none.
 */
export function candidatesFor(
  launch: EvaluatedLaunch,
  targets: readonly TargetFacts[],
): readonly AskedSource[] {
  const { account, count, instanceType, judgedZone, region, source } = launch;
  const facts = regionFactsOf(targets);
  const sizes = facts.stock?.sizes ?? [];
  const own = sizes.find((size) => size.instanceType === instanceType);
  if (own === undefined || count === null || launch.subnets === null || launch.group) return [];
  const nearness = (size: SizedType) =>
    size.instanceType === instanceType ? 0 : size.family === own.family ? 1 : 2;
  return sizes
    .filter((size) => {
      const isOwn = size.instanceType === instanceType && size.zone === judgedZone;
      const isSize = size.cpu === own.cpu && size.memory === own.memory && size.gpus === own.gpus;
      const isPaidSo = size.chargeType === launch.chargeType && size.sells === true;
      return isPaidSo && isSize && size.class === own.class && !isOwn;
    })
    .toSorted((a, b) => nearness(a) - nearness(b) || (b.level ?? 0) - (a.level ?? 0))
    .slice(0, maxCandidates)
    .map(({ instanceType: type, zone }) => {
      const { chargeType, disks, ipv6Count, placementGroups } = launch;
      const subnets = zone === judgedZone ? launch.subnets : subnetsIn(zone, launch, facts);
      const kept = { chargeType, count, disks, ipv6Count, placementGroups };
      const started = { ...plainLaunch, ...kept, instanceType: type, zone, subnets };
      const name = `${source ?? ''} as ${type} in ${zone}`;
      return { name, account, region, launch: started, count, isAlternative: true };
    });
}

/** The subnet of the VPC of a launch that has the most room in a zone, if that is enough. */
function subnetsIn(zone: string, { count, subnets }: Launch, facts: RegionFacts) {
  const all = [...facts.subnets.values()];
  const vpc = all.find(({ id }) => subnets?.includes(id))?.vpc;
  const roomIn = (subnet: (typeof all)[number]) =>
    remainingOf(subnet, 'subnet_id', facts.quotas) ?? 0;
  const [best] = all
    .filter((subnet) => vpc !== undefined && subnet.vpc === vpc && subnet.zone === zone)
    .toSorted((a, b) => roomIn(b) - roomIn(a));
  return best !== undefined && roomIn(best) >= (count ?? 1) ? [best.id] : [];
}

/** Whether a launch starts, and all that could stop it is known. */
export function isCertain({ blocking, parts, unjudged }: EvaluatedLaunch): boolean {
  return unjudged === null && blocking.length === 0 && parts.every(({ isKnown }) => isKnown);
}

/** What has to be written otherwise to start an alternative: in Terraform, in a template, or in the flag. */
export function changeText(
  blocked: EvaluatedLaunch,
  launch: EvaluatedLaunch,
  { say }: Texts,
): string {
  const { chargeType, count, instanceType, judgedZone, subnets } = launch;
  const [subnet = ''] = subnets ?? [];
  const isMoved = judgedZone !== blocked.judgedZone;
  const lacksSubnet = isMoved && blocked.subnets?.length !== 0 && subnet === '';
  const choose = lacksSubnet ? say(', and choose a subnet there') : '';
  const isPlan = blocked.source?.includes('tencentcloud_') === true;
  if (!isPlan && blocked.templateId === '') {
    const place = [instanceType, judgedZone, chargeType, ...(subnets ?? [])].join('/');
    return `--launch=${place}:${count ?? 1}${choose}`;
  }
  const keys = isPlan
    ? ['instance_type', 'availability_zone', 'subnet_id']
    : ['InstanceType', 'Placement.Zone', 'VirtualPrivateCloud.SubnetId'];
  const values = [
    instanceType === blocked.instanceType ? '' : (instanceType ?? ''),
    isMoved ? judgedZone : '',
    isMoved ? subnet : '',
  ];
  const lines = keys.flatMap((key, i) => (values[i] ? `${key} = "${values[i]}"` : []));
  return `${lines.join(', ')}${choose}`;
}
