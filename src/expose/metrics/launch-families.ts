/** The metrics of launches. Several records judge a launch, so no record has these samples alone. */
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { launchParts, notCounted } from '../../model/launches/parts/parts.ts';
import type { LabelledAccount } from '../../model/target.ts';
import { launchLabels } from '../filter.ts';
import { chargeTypeText } from '../launch-text.ts';
import { describedFamilies, type Families } from './described-families.ts';
import help from './help.json' with { type: 'json' };
import { labelText, familySamples, type FamilySamples } from './text-format.ts';

/** The parts of a launch that are asked for. None of a muted launch: its parts are not judged. */
const judgedParts = ({ parts, state }: EvaluatedLaunch) =>
  state === 'muted' ? [] : parts.filter(({ isAsked }) => isAsked !== false);

const warnings = launchParts.flatMap(({ reasons }) =>
  Object.entries(reasons).flatMap(([reason, { warning }]) =>
    warning === undefined ? [] : `${reason} is a warning ${warning}`,
  ),
);

/** The families of launches, in the order of the exposition. */
export const launchFamilies: Families<EvaluatedLaunch> = describedFamilies(
  help.launch,
  {
    cvm_launch_headroom: ({ headroom }) => headroom,
    cvm_launch_blocked: (launch) => {
      const known = judgedParts(launch).filter(({ isKnown }) => isKnown);
      const blocking = known.flatMap(({ isHarmless, reason }) =>
        isHarmless ? [] : (reason ?? []),
      );
      const possible = known.flatMap(({ part }) => Object.keys(part.reasons));
      return [...new Set([...possible, ...blocking])].map((reason) => ({
        labels: { reason },
        value: Number(blocking.includes(reason)),
      }));
    },
    cvm_launch_severity: (launch) => [
      ...(launch.state === 'muted' ? [] : launch.blocking).flatMap(({ reason, severity }) =>
        reason === null ? [] : { labels: { reason, severity }, value: 1 },
      ),
      ...(launch.isShort ? [{ labels: { reason: 'short', severity: 'warning' }, value: 1 }] : []),
    ],
    cvm_launch_unknown: (launch) =>
      judgedParts(launch).map(({ isKnown, part }) => ({
        labels: { part: part.name },
        value: Number(!isKnown),
      })),
    cvm_launch_info: ({ subnets, templateName, version }) =>
      (subnets === null || subnets.length === 0 ? [''] : subnets).map((subnet) => ({
        labels: { template_name: templateName, version, subnet_id: subnet },
        value: 1,
      })),
  },
  {
    notCounted,
    parts: launchParts.map(({ name }) => name).join(', '),
    warnings: warnings.join(', '),
  },
);

/** They have the labels of the other figures of scaling groups, and not those of launches. */
export const missingFamilies: Families<EvaluatedLaunch> = describedFamilies(help.group, {
  cvm_scaling_group_missing: ({ missing }) => missing,
});

/** @param accountLabels the configured labels of the account */
export function launchSamples(
  launch: EvaluatedLaunch,
  accountLabels: LabelledAccount['labels'],
): FamilySamples[] {
  const { group, instanceType, zone } = launch;
  const option = group === null ? { zone, instance_type: instanceType } : {};
  const optionLabels = { ...option, charge_type: chargeTypeText(launch) };
  const labels = { account: launch.account, ...accountLabels, ...launchLabels(launch) };
  return [
    ...familySamples(launchFamilies, launch, labelText({ ...labels, ...optionLabels })),
    ...familySamples(missingFamilies, launch, labelText(labels)),
  ];
}
