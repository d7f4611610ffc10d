/** The texts of judged launches: their state, their parts, and what binds them. */
import type { JudgedLaunch, JudgedPart } from '../model/launches/judge-launch.ts';
import type { LaunchRow, LaunchState } from '../model/launches/judge-region.ts';
import { counted, figure } from './text.ts';

/** What people call the words of launches. */
const states: Readonly<Partial<Record<LaunchState, string>>> = {
  critical: 'blocked',
  low: 'at risk',
  none: 'not judged',
};

export function launchStateText({ state }: LaunchRow): string {
  return states[state] ?? state;
}

/** What a part says, such as `subnet-bthucmmy: 12 addresses`. */
export function partText(
  { holds, isKnown, part, reason, subnet }: JudgedPart,
  { chargeType, count, instanceType, stock }: JudgedLaunch,
): string {
  if (!isKnown) return `${part}: unknown`;
  if (part === 'stock') {
    const level = [null, 'nearly gone', 'normal', 'enough'][stock?.level ?? -1] ?? 'sells';
    if (reason === null) return `stock: ${level}`;
    return reason === 'sold-out' ? 'sold out' : 'not offered, or out of stock and hidden';
  }
  const isShort = holds !== null && holds < (count ?? 1);
  const needed = isShort && holds > 0 ? `, ${figure(count)} needed` : '';
  if (part === 'subnet') {
    return `${subnet ?? 'subnet'}: ${counted(holds ?? 0, 'address', 'addresses')}${needed}`;
  }
  const what =
    reason === null || isShort
      ? `${figure(holds)} of ${instanceType ?? 'the type'}${needed}`
      : `${figure(count)} at once are more than one purchase may take`;
  return `${chargeType ?? ''} quota: ${what}`;
}

/** What the worst launch is, and what binds it. */
export function launchText(row: LaunchRow): string {
  const { account, chargeType, instanceType, judgedZone, region, templateId, templateName } = row;
  const named = templateName === '' ? templateId : `${templateId} (${templateName})`;
  const name = templateId === '' ? (instanceType ?? '') : named;
  return `${name} ${chargeType ?? ''} in ${judgedZone || region} of ${account}: ${bindingText(row)}`;
}

function bindingText(row: LaunchRow): string {
  const texts = row.binding.map((part) => partText(part, row));
  if (texts.length === 0) texts.push('nothing that is read');
  if (row.parts.every(({ part }) => part !== 'quota')) texts.push('its quota is not asked for');
  return texts.join('; ');
}

/** What binds, the stock, where else the type sells, such as `sells in ap-guangzhou-4, -6`, and who shares it. */
export function bindingTexts(row: LaunchRow): readonly string[] {
  const { binding, judgedZone, parts, region, sharing, soldIn, unjudged } = row;
  if (unjudged !== null) return [unjudged];
  const stock = parts.filter((each) => each.part === 'stock' && !binding.includes(each));
  const elsewhere = soldIn.filter((zone) => zone !== judgedZone).join(', ');
  return [
    bindingText(row),
    ...stock.map((part) => partText(part, row)),
    elsewhere === '' ? '' : `sells in ${elsewhere.replaceAll(`, ${region}-`, ', -')}`,
    sharing === 0 ? '' : `shared with ${counted(sharing, 'other template')}`,
  ];
}
