/**
 * What a check asks about: launches of targets, or given ones, each for a number of instances. `commands/asked-*.ts` makes
 * the sources and looks for alternatives of blocked launches; `expose/check-report.ts` judges them. Page, terminal and JSON
 * have the text of an alternative from here. Pure.
 */
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

/** One question of a check: would so many instances of this launch start? */
export interface AskedSource extends Asking {
  /** Empty if the configuration has no account for it. */
  readonly account: string;
  readonly region: string;
  /**
   * The launch itself, one that cannot be judged, a scaling group that does not exist yet, an existing one by its ID, or a
   * version of a template. `version: null`: its default version.
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

/** The versions of a template that sources ask about, each once. A target of the template reads them in this order. */
export function versionsAsked(sources: readonly AskedSource[], template: string) {
  const versions = sources.flatMap(({ launch }) =>
    'template' in launch && launch.template === template ? [launch.version] : [],
  );
  return [...new Set(versions)];
}

/**
 * The facts of a region for `judgeLaunches()`: those of its targets without their launches and groups, then each source as a
 * target of its own. Launches with a zone come first: they have no choice.
 */
export function askedFacts(
  sources: readonly AskedSource[],
  targets: readonly TargetFacts[],
): readonly TargetFacts[] {
  const withoutLaunches = targets.map((target) => ({ ...target, groups: [], launches: [] }));
  const asked = sources.map((source): TargetFacts => {
    const noFacts = { isUp: true, stock: null, quotas: [], reportable: [], blockedSince: {} };
    return { ...noFacts, ...factsOfSource(source, sources, targets), asked: source };
  });
  const hasChoice = ({ launches: [launch] = [] }: TargetFacts) =>
    launch === undefined || (!('unjudged' in launch) && launch.zone === '');
  asked.sort((a, b) => Number(hasChoice(a)) - Number(hasChoice(b)));
  return [...withoutLaunches, ...asked];
}

/** The launch or group of a source, as it is given or as a target read it, with the number of instances of the source. */
function factsOfSource(
  { count, launch }: AskedSource,
  sources: readonly AskedSource[],
  targets: readonly TargetFacts[],
): Partial<TargetFacts> {
  if ('group' in launch) return { groups: [launch.group], configurations: [launch.configuration] };
  if ('scalingGroup' in launch) {
    const isAsked = ({ id }: ScalingGroup) => id === launch.scalingGroup;
    const target = targets.find(({ groups = [] }) => groups.some(isAsked));
    const group = target?.groups?.find(isAsked);
    if (target === undefined || group === undefined) return unjudged('it could not be read');
    // The launch configuration of a disabled group is not polled, so what it starts is unknown.
    if (group.isEnabled === false) return unjudged('the scaling group is disabled');
    const instances = group.instances ?? 0;
    const capacity = count === null ? null : instances + count;
    const sizes = { instances, desiredCapacity: capacity, maxSize: capacity };
    return { isUp: target.isUp, groups: [{ ...group, ...sizes }] };
  }
  if (!('template' in launch)) {
    return { launches: ['unjudged' in launch ? launch : { ...launch, count }] };
  }
  const target = targets.find(({ launches = [] }) =>
    launches.some(({ templateId }) => templateId === launch.template),
  );
  // `launchFacts()` of the template's kind gives one launch for each version that is asked for, in this order.
  const position = versionsAsked(sources, launch.template).indexOf(launch.version);
  const found = target?.launches?.[position];
  if (target === undefined || found === undefined) return unjudged('it could not be read');
  return { isUp: target.isUp, launches: ['unjudged' in found ? found : { ...found, count }] };
}

function unjudged(why: string): Partial<TargetFacts> {
  return { launches: [{ ...ofNoTemplate, unjudged: why }] };
}

/** How many candidates for one blocked launch are judged at most. */
const maxCandidates = 12;

/**
 * Launches that may take the place of a blocked one, with its size, charge type and count: its type in other zones, then its
 * family, then other types of its class, those with the most stock first. In another zone, a subnet of its VPC with room
 * takes the place of its own; if none is watched, the candidate has none. Empty for a scaling group, and for a launch whose
 * type, count or subnets are unknown.
 */
export function candidatesFor(
  launch: EvaluatedLaunch,
  targets: readonly TargetFacts[],
): readonly AskedSource[] {
  const { account, count, instanceType, judgedZone, region, source } = launch;
  const facts = regionFactsOf(targets);
  const sizes = facts.stock?.sizes ?? [];
  const blocked = sizes.find((size) => size.instanceType === instanceType);
  if (blocked === undefined || count === null || launch.subnets === null || launch.group) return [];
  const nearness = (size: SizedType) =>
    size.instanceType === instanceType ? 0 : size.family === blocked.family ? 1 : 2;
  return sizes
    .filter((size) => {
      const { chargeType, cpu, gpus, memory, sells, zone } = size;
      const isBlocked = size.instanceType === instanceType && zone === judgedZone;
      const isLikeIt = cpu === blocked.cpu && memory === blocked.memory && gpus === blocked.gpus;
      const isSold = chargeType === launch.chargeType && sells === true;
      return isSold && isLikeIt && size.class === blocked.class && !isBlocked;
    })
    .toSorted((a, b) => nearness(a) - nearness(b) || (b.level ?? 0) - (a.level ?? 0))
    .slice(0, maxCandidates)
    .map(({ instanceType: type, zone }) => {
      const { chargeType, disks, ipv6Count, placementGroups } = launch;
      const subnets = zone === judgedZone ? launch.subnets : roomiestSubnetIn(zone, launch, facts);
      const unchanged = { chargeType, count, disks, ipv6Count, placementGroups };
      const candidate = { ...plainLaunch, ...unchanged, instanceType: type, zone, subnets };
      const name = `${source ?? ''} as ${type} in ${zone}`;
      return { name, account, region, launch: candidate, count, isAlternative: true };
    });
}

/** The subnet of the VPC of a launch that has the most room in a zone: a list of its ID, empty if none has enough. */
function roomiestSubnetIn(zone: string, { count, subnets }: Launch, facts: RegionFacts) {
  const watched = [...facts.subnets.values()];
  const vpc = watched.find(({ id }) => subnets?.includes(id))?.vpc;
  const roomIn = (subnet: (typeof watched)[number]) =>
    remainingOf(subnet, 'subnet_id', facts.quotas) ?? 0;
  const [best] = watched
    .filter((subnet) => vpc !== undefined && subnet.vpc === vpc && subnet.zone === zone)
    .toSorted((a, b) => roomIn(b) - roomIn(a));
  return best !== undefined && roomIn(best) >= (count ?? 1) ? [best.id] : [];
}

/** Whether a launch starts, and all that could stop it is known. */
export function isCertain({ blocking, parts, unjudged }: EvaluatedLaunch): boolean {
  return unjudged === null && blocking.length === 0 && parts.every(({ isKnown }) => isKnown);
}

/** What has to be written otherwise to start an alternative: in Terraform, in a template, or in the flag `--launch`. */
export function changeText(blocked: EvaluatedLaunch, alternative: EvaluatedLaunch, { say }: Texts) {
  const { chargeType, count, instanceType, judgedZone, subnets } = alternative;
  const [subnet = ''] = subnets ?? [];
  const isMoved = judgedZone !== blocked.judgedZone;
  const lacksSubnet = isMoved && blocked.subnets?.length !== 0 && subnet === '';
  const choose = lacksSubnet ? say(', and choose a subnet there') : '';
  // The source of a plan has the address of its resource.
  const isPlan = blocked.source?.includes('tencentcloud_') === true;
  if (!isPlan && blocked.templateId === '') {
    const path = [instanceType, judgedZone, chargeType, ...(subnets ?? [])].join('/');
    return `--launch=${path}:${count ?? 1}${choose}`;
  }
  const keys = isPlan
    ? ['instance_type', 'availability_zone', 'subnet_id']
    : ['InstanceType', 'Placement.Zone', 'VirtualPrivateCloud.SubnetId'];
  // In the order of the keys; empty: stays as it is.
  const values = [
    instanceType === blocked.instanceType ? '' : (instanceType ?? ''),
    isMoved ? judgedZone : '',
    isMoved ? subnet : '',
  ];
  const lines = keys.flatMap((key, i) => (values[i] ? `${key} = "${values[i]}"` : []));
  return `${lines.join(', ')}${choose}`;
}
