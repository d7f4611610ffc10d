/** The texts of judged launches for page, JSON and verdict: their state, their parts, and what binds them. */
import type { JudgedLaunch, JudgedPart } from '../model/launches/judge-launch.ts';
import type { EvaluatedLaunch, LaunchState } from '../model/launches/judge-region.ts';
import { stockPart } from '../model/launches/parts/stock.ts';
import { numberText, numberWithNoun } from './text.ts';

/** The states that people call otherwise. */
const stateTexts: Readonly<Partial<Record<LaunchState, string>>> = {
  critical: 'blocked',
  low: 'at risk',
  unjudged: 'not judged',
};

export function launchStateText({ state }: EvaluatedLaunch): string {
  return stateTexts[state] ?? state;
}

/** How much a part of a launch holds, or why it blocks, such as `subnet-bthucmmy: 12 addresses, 13 needed`. */
export function partText(judged: JudgedPart, launch: JudgedLaunch): string {
  const { isKnown, part, roomFor } = judged;
  if (!isKnown) return `${part.name}: unknown`;
  const isShort = roomFor !== null && roomFor < (launch.count ?? 1);
  const needed = isShort && roomFor > 0 ? `, ${numberText(launch.count)} needed` : '';
  return `${part.text(judged, launch, numberText(roomFor))}${needed}`;
}

/** A launch and what binds it in one line, for the verdict. */
export function launchSummary(launch: EvaluatedLaunch): string {
  const { account, chargeType, instanceType, judgedZone, region, templateId, templateName } =
    launch;
  const template = templateName === '' ? templateId : `${templateId} (${templateName})`;
  const name = templateId === '' ? (instanceType ?? '') : template;
  const what = chargeType === null ? name : `${name} ${chargeType}`;
  return `${what} in ${judgedZone || region} of ${account}: ${bindingSummary(launch)}`;
}

/** What binds a launch, or why it is not judged. */
function bindingSummary(launch: EvaluatedLaunch): string {
  if (launch.unjudged !== null) return launch.unjudged;
  const texts = launch.binding.map((part) => partText(part, launch));
  if (texts.length === 0) texts.push('nothing that is read');
  if (!launch.isQuotaAsked) texts.push('its quota is not asked for');
  return texts.join('; ');
}

/**
 * The lines of the column "What binds": what binds the launch, the stock, where else the type sells, such as
 * `sells in ap-guangzhou-4, -6`, and how many templates share what binds. Some may be empty. For a launch that is not
 * judged, the reason.
 */
export function bindingLines(launch: EvaluatedLaunch): readonly string[] {
  const { binding, judgedZone, parts, region, sharing, soldIn } = launch;
  const stock = parts.filter((part) => part.part === stockPart && !binding.includes(part));
  const elsewhere = soldIn.filter((zone) => zone !== judgedZone).join(', ');
  return [
    bindingSummary(launch),
    ...stock.map((part) => partText(part, launch)),
    elsewhere === '' ? '' : `sells in ${elsewhere.replaceAll(`, ${region}-`, ', -')}`,
    sharing === 0 ? '' : `shared with ${numberWithNoun(sharing, 'other template')}`,
  ];
}
