/** The texts of judged launches for page, JSON and verdict: their state, their parts, and what binds them. */
import type { JudgedLaunch, JudgedPart } from '../model/launches/judge-launch.ts';
import type { EvaluatedLaunch, LaunchState } from '../model/launches/judge-region.ts';
import { launchParts } from '../model/launches/parts/parts.ts';
import { firstTexts, numberText, numberWithNoun } from './text.ts';

/** The states that people call otherwise. */
const stateTexts: Readonly<Partial<Record<LaunchState, string>>> = {
  critical: 'blocked',
  low: 'at risk',
  unjudged: 'not judged',
  none: 'not judged',
};

export function launchStateText({ state }: EvaluatedLaunch): string {
  return stateTexts[state] ?? state;
}

/** How many launches a text names that take of the same. */
const maxTakers = 5;

/** The charge type of a launch; `mixed` for a group that starts on-demand and spot instances. `null` while it is unknown. */
export function chargeTypeText({ chargeType, group }: EvaluatedLaunch): string | null {
  return group?.mixed ? 'mixed' : chargeType;
}

/** How much a part of a launch holds, or why it blocks, such as `subnet-bthucmmy: 12 addresses, 13 needed`. */
export function partText(judged: JudgedPart, launch: JudgedLaunch): string {
  const { atLeast, isAsked, isKnown, part, roomFor } = judged;
  if (!isKnown) return `${part.name}: unknown`;
  if (isAsked === false) return `${part.name} not asked: no permission`;
  const isShort = roomFor !== null && roomFor < (launch.count ?? 1);
  const needed = isShort && roomFor > 0 ? `, ${numberText(launch.count)} needed` : '';
  const after =
    judged.takenBy.length === 0 ? '' : ` after ${firstTexts(judged.takenBy, maxTakers).join(', ')}`;
  const room = atLeast === undefined ? numberText(roomFor) : `at least ${numberText(atLeast)}`;
  return `${part.text(judged, launch, room)}${after}${needed}`;
}

/** The name of a launch, and what is smaller beside it: the ID after a name, and the version. */
export function launchNames(launch: EvaluatedLaunch): readonly string[] {
  const { group, groupId, instanceType, source, templateId, templateName, version } = launch;
  if (source !== null) return [source];
  const ofGroup = group && `${numberText(group.instances)} of ${numberText(group.maxSize)} members`;
  const id = templateId || groupId;
  if (id === '') return [instanceType ?? 'unknown type', 'configured'];
  const names = [group?.name ?? templateName, id].filter((name) => name !== '');
  return [...names, ofGroup ?? (version === null ? '' : `version ${version}`)];
}

/** A launch and what binds it in one line, for the verdict. */
export function launchSummary(launch: EvaluatedLaunch): string {
  const { account, groupId, judgedZone, region, templateId } = launch;
  const [name = '', id = ''] = launchNames(launch);
  const hasName = id !== '' && id === (templateId || groupId);
  const what = [
    hasName ? `${name} (${id})` : name,
    launch.source === null ? (chargeTypeText(launch) ?? '') : '',
  ];
  const where = `in ${judgedZone || region} of ${account}`;
  return `${what.join(' ').trim()} ${where}: ${bindingSummary(launch)}`;
}

/** Such as `3 of 12 members missing`. */
function missingText({ group, missing }: EvaluatedLaunch): string {
  return `${numberText(missing)} of ${numberText(group?.maxSize ?? null)} members missing`;
}

/** What binds a launch, or why it is not judged. */
function bindingSummary(launch: EvaluatedLaunch): string {
  if (launch.unjudged !== null) return launch.unjudged;
  const texts = launch.binding.map((part) => partText(part, launch));
  if (launch.isShort) texts.unshift(missingText(launch));
  if (texts.length === 0) texts.push('nothing that is read');
  texts.push(...launch.leftOut.map((name) => `its ${name} is not asked for`));
  const notAsked = launch.parts.filter(({ isAsked }) => isAsked === false);
  texts.push(...notAsked.map((part) => partText(part, launch)));
  return texts.join('; ');
}

/**
 * What binds a launch, where else its type sells, such as `sells in ap-guangzhou-4, -6`, and how many templates share what
 * it needs. Some may be empty. For a launch that is not judged, the reason.
 */
export function bindingLines(launch: EvaluatedLaunch): readonly string[] {
  const { judgedZone, region, sharing, soldIn } = launch;
  const elsewhere = soldIn.filter((zone) => zone !== judgedZone).join(', ');
  return [
    bindingSummary(launch),
    elsewhere === '' ? '' : `sells in ${elsewhere.replaceAll(`, ${region}-`, ', -')}`,
    sharing === 0 ? '' : `shared with ${numberWithNoun(sharing, 'other template')}`,
    ...(launch.alternatives ?? []).map(({ change, launch: other }) => {
      const texts = other.parts.map((part) => partText(part, other)).join('; ');
      return `instead ${other.instanceType ?? ''} in ${other.judgedZone}: ${change} (${texts})`;
    }),
  ];
}

/**
 * What a part says about a launch: a symbol, so that colour is not the only difference, and a word. `absent`: it does not
 * apply.
 */
export const stripMarks = {
  critical: ['!', 'blocks'],
  low: ['!', 'warns'],
  unknown: ['?', 'not known'],
  tight: ['▾', 'tight'],
  fine: ['', 'fine'],
  absent: ['', ''],
} as const;
type StripState = keyof typeof stripMarks;

/** A cell of the strip of a launch: one for each part of the table. */
export interface StripCell {
  readonly name: string;
  readonly state: StripState;
  /** How many instances the part holds, or a word for it. */
  readonly room: string;
  /** The sentence behind the cell. */
  readonly text: string;
}

/** What each part says about a launch, also those that do not apply to it. Empty for a launch that is not judged. */
export function stripOf(launch: EvaluatedLaunch): readonly StripCell[] {
  if (launch.unjudged !== null) return [];
  return launchParts.map(({ name }) => {
    const judged = launch.parts.find(({ part }) => part.name === name);
    if (judged === undefined)
      return { name, state: 'absent', room: '–', text: `${name}: does not apply` };
    const text = partText(judged, launch);
    return { name, state: stripState(judged, launch), room: roomText(judged), text };
  });
}

function stripState(
  { isAsked, isKnown, isTight, reason, roomFor, severity }: JudgedPart,
  launch: EvaluatedLaunch,
) {
  if (!isKnown) return 'unknown';
  if (isAsked === false) return 'absent';
  if (reason !== null) return severity === 'critical' ? 'critical' : 'low';
  // The launch after the next one would fail, or the group stops before its maximum.
  const isLast =
    roomFor !== null &&
    (roomFor < 2 * (launch.count ?? 1) || (launch.isShort && roomFor === launch.headroom));
  return isTight === true || isLast ? 'tight' : 'fine';
}

/** The room of a part in a word or a number: `157`, `sold out`, `enough`; without the time of a price. */
function roomText({ detail, isAsked, isKnown, part, reason, roomFor }: JudgedPart): string {
  if (!isKnown) return 'unknown';
  if (isAsked === false) return 'not asked';
  // The word of a reason that only repeats the name of its part says less than the number.
  if (reason !== null && reason !== part.name) return reason.replaceAll('-', ' ');
  return roomFor === null ? detail.replace(/ \S+Z$/, '') || 'ok' : numberText(roomFor);
}
