/** The texts of judged launches for page, JSON and verdict: their state, their parts, and what binds them. */
import type { JudgedLaunch, JudgedPart } from '../model/launches/judge-launch.ts';
import type { EvaluatedLaunch, LaunchState } from '../model/launches/judge-region.ts';
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

const stockLevels: Readonly<Record<number, string>> = {
  1: 'nearly gone',
  2: 'normal',
  3: 'enough',
};

/** How much a part of a launch holds, or why it blocks, such as `subnet-bthucmmy: 12 addresses`. */
export function partText(
  { roomFor, isByPurchase, isKnown, part, reason, subnet }: JudgedPart,
  { chargeType, count, instanceType, stock, version }: JudgedLaunch,
): string {
  if (!isKnown) return `${part}: unknown`;
  if (part === 'stock') {
    if (reason === 'sold-out') return 'sold out';
    if (reason !== null) return 'not offered, or out of stock and hidden';
    return `stock: ${stockLevels[stock?.level ?? 0] ?? 'sells'}`;
  }
  const isShort = roomFor !== null && roomFor < (count ?? 1);
  const needed = isShort && roomFor > 0 ? `, ${numberText(count)} needed` : '';
  if (part === 'version') {
    const most = `at most ${numberText(roomFor)} instances in one launch${needed}`;
    return `version ${version ?? ''}: ${roomFor === null ? 'sets no bound' : most}`;
  }
  if (part === 'subnet') {
    return `${subnet ?? 'subnet'}: ${numberWithNoun(roomFor ?? 0, 'address', 'addresses')}${needed}`;
  }
  const atOnce = isByPurchase ? ' in one purchase' : '';
  const what = `${numberText(roomFor)} of ${instanceType ?? 'the type'}${atOnce}${needed}`;
  return `${chargeType ?? ''} quota: ${what}`;
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
  const stock = parts.filter((part) => part.part === 'stock' && !binding.includes(part));
  const elsewhere = soldIn.filter((zone) => zone !== judgedZone).join(', ');
  return [
    bindingSummary(launch),
    ...stock.map((part) => partText(part, launch)),
    elsewhere === '' ? '' : `sells in ${elsewhere.replaceAll(`, ${region}-`, ', -')}`,
    sharing === 0 ? '' : `shared with ${numberWithNoun(sharing, 'other template')}`,
  ];
}
