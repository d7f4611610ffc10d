/**
 * The texts of judged launches: their state, name and parts, and what binds them. The tables of page and terminal, JSON,
 * the verdict and the label `charge_type` of metrics have them from here.
 */
import { changeText } from '../model/launches/asked.ts';
import type { JudgedLaunch, JudgedPart } from '../model/launches/judge-launch.ts';
import type { EvaluatedLaunch, LaunchState } from '../model/launches/judge-region.ts';
import type { Texts } from '../model/texts/texts.ts';
import { firstTexts } from './text.ts';

/** The words for the states: also the values of `state` in JSON, and keys of zh-CN.json. */
const stateTexts = {
  critical: 'blocked',
  low: 'at risk',
  unknown: 'unknown',
  unjudged: 'not judged',
  none: 'not judged',
  fine: 'fine',
  muted: 'muted',
} as const satisfies Readonly<Record<LaunchState, string>>;

export function launchStateText({ state }: EvaluatedLaunch, { say }: Texts): string {
  return say(stateTexts[state]);
}

/** Maximum number of launches that a text names as those that have taken of a part before. */
const maxTakers = 5;

/** The charge type of a launch; `mixed` for a group that starts on-demand and spot instances. `null` while it is unknown. */
export function chargeTypeText({ chargeType, group }: EvaluatedLaunch): string | null {
  return group?.mixed ? 'mixed' : chargeType;
}

/** How much a part of a launch holds, or why it blocks, such as `subnet-bthucmmy: 12 addresses, 13 needed`. */
export function partText(judged: JudgedPart, launch: JudgedLaunch, texts: Texts): string {
  const { say } = texts;
  const { atLeast, isAsked, isKnown, part, roomFor, takenBy } = judged;
  const what = texts.word(part.name);
  if (!isKnown) return say('{what}: unknown', { what });
  if (isAsked === false) return say('{what} not asked: no permission', { what });
  const isShort = roomFor !== null && roomFor < (launch.count ?? 1);
  const needed = isShort && roomFor > 0 ? say(', {count} needed', launch) : '';
  const takers = firstTexts(takenBy, maxTakers, texts).join(say(', '));
  const after = takers === '' ? '' : say(' after {takers}', { takers });
  const room = atLeast === undefined ? roomFor : say('at least {count}', { count: atLeast });
  return `${part.text(judged, launch, room, texts)}${after}${needed}`;
}

/**
 * The name of a launch, then what stands in small type beside it: after a name the ID, then the version or the number of members. Without
 * a name, the ID comes first; without an ID, the instance type. A launch that a check asks about has only its source.
 */
export function launchNames(launch: EvaluatedLaunch, { say }: Texts): readonly string[] {
  const { group, groupId, instanceType, source, templateId, templateName, version } = launch;
  if (source !== null) return [source];
  const ofGroup = group && say('{instances} of {maxSize} members', group);
  const id = templateId || groupId;
  if (id === '') return [instanceType ?? say('unknown type'), say('configured')];
  const names = [group?.name ?? templateName, id].filter((name) => name !== '');
  return [
    ...names,
    ofGroup ?? (version === null ? '' : say('version {version}', { version: String(version) })),
  ];
}

/** A launch and what binds it in one line, for the verdict. */
export function launchSummary(launch: EvaluatedLaunch, texts: Texts): string {
  const { account, groupId, judgedZone, region, templateId } = launch;
  const [name = '', second = ''] = launchNames(launch, texts);
  const isId = second !== '' && second === (templateId || groupId);
  const chargeType = launch.source === null ? (chargeTypeText(launch) ?? '') : '';
  const what = `${isId ? `${name} (${second})` : name} ${chargeType}`.trim();
  const where = judgedZone || region;
  const more = bindingSummary(launch, texts);
  return texts.say('{what} in {where} of {account}: {more}', { what, where, account, more });
}

/** What binds a launch, then what is not asked for; or why the launch is not judged. */
function bindingSummary(launch: EvaluatedLaunch, texts: Texts): string {
  const { say, word } = texts;
  const { group, missing } = launch;
  if (launch.unjudged !== null) return word(launch.unjudged);
  const said = launch.binding.map((part) => partText(part, launch, texts));
  if (launch.isShort) {
    const max = group?.maxSize ?? null;
    said.unshift(say('{missing} of {max} members missing', { missing, max }));
  }
  if (said.length === 0) said.push(say('nothing that is read'));
  said.push(
    ...launch.leftOut.map((name) => say('its {part} is not asked for', { part: word(name) })),
  );
  const notAsked = launch.parts.filter(({ isAsked }) => isAsked === false);
  said.push(...notAsked.map((part) => partText(part, launch, texts)));
  return said.join(say('; '));
}

/**
 * What binds a launch, for tables: one line each for its parts, or why it is not judged; for where else its type sells, such
 * as `sells in ap-guangzhou-4, -6`; for how many templates share what it needs; and for each launch that could replace it.
 */
export function bindingLines(launch: EvaluatedLaunch, texts: Texts): readonly string[] {
  const { say } = texts;
  const { alternatives = [], judgedZone, region, sharing, soldIn } = launch;
  const elsewhere = soldIn.filter((zone) => zone !== judgedZone).join(', ');
  const zones = elsewhere.replaceAll(`, ${region}-`, ', -');
  return [
    bindingSummary(launch, texts),
    elsewhere === '' ? '' : say('sells in {zones}', { zones }),
    sharing === 0
      ? ''
      : say('shared with {count other template|other templates}', { count: sharing }),
    ...alternatives.map((other) =>
      say('instead {type} in {zone}: {change} ({parts})', {
        type: other.instanceType ?? '',
        zone: other.judgedZone,
        change: changeText(launch, other, texts),
        parts: other.parts.map((part) => partText(part, other, texts)).join(say('; ')),
      }),
    ),
  ].filter((line) => line !== '');
}
