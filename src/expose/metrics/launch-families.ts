/** The metrics of launches. Several records judge a launch, so no record has these samples alone. */
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { launchParts, notCounted } from '../../model/launches/parts/parts.ts';
import { families, family } from '../../model/metric-family.ts';
import type { LabelledAccount } from '../../model/target.ts';
import { launchLabels } from '../filter.ts';
import { chargeTypeText } from '../launch-text.ts';
import { labelText, familySamples, type FamilySamples } from './text-format.ts';

const launchLabelNames = [
  'template_id',
  'scaling_group_id',
  'zone',
  'instance_type',
  'charge_type',
];

/** Those that are asked for. None of a muted launch: its parts are not judged. */
const judgedParts = ({ parts, state }: EvaluatedLaunch) =>
  state === 'muted' ? [] : parts.filter(({ isAsked }) => isAsked !== false);

const partNames = launchParts.map(({ name }) => name).join(', ');
const warnings = launchParts.flatMap(({ reasons }) =>
  Object.entries(reasons).flatMap(([reason, { warning }]) =>
    warning === undefined ? [] : `${reason} is a warning ${warning}`,
  ),
);

/** The families of launches, in the order of the exposition. */
export const launchFamilies = families<EvaluatedLaunch>({
  cvm_launch_headroom: [
    `How many instances this launch alone could start: an upper bound by its parts (${partNames}). Launches share quotas and subnets, so never sum() it. Not counted: ${notCounted}. 0 as soon as one known part holds 0; absent while a part that applies is unknown, and if none gives a number.`,
    ({ headroom }) => headroom,
    launchLabelNames,
  ],
  cvm_launch_blocked: [
    'Whether the launch would fail for the reason: 1 or 0 for each known part. A part blocks when it holds fewer than InstanceCount of LaunchTemplateVersionData, or than a scaling group needs. Absent while the launch is muted.',
    (launch) => {
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
    [...launchLabelNames, 'reason'],
  ],
  cvm_launch_severity: [
    `Always 1, for each reason that blocks the launch: ${warnings.join(', ')}; everything else is critical. The reason short is a warning that a scaling group cannot reach its MaxSize. Absent while the launch is muted.`,
    (launch) => [
      ...(launch.state === 'muted' ? [] : launch.blocking).flatMap(({ reason, severity }) =>
        reason === null ? [] : { labels: { reason, severity }, value: 1 },
      ),
      ...(launch.isShort ? [{ labels: { reason: 'short', severity: 'warning' }, value: 1 }] : []),
    ],
    [...launchLabelNames, 'reason', 'severity'],
  ],
  cvm_launch_unknown: [
    `Whether a part that applies to the launch (${partNames}) is not known now: not read yet, unreadable, lacking once, failing or stale; 1 or 0. Absent while the launch is muted.`,
    (launch) =>
      judgedParts(launch).map(({ isKnown, part }) => ({
        labels: { part: part.name },
        value: Number(!isKnown),
      })),
    [...launchLabelNames, 'part'],
  ],
  cvm_launch_info: [
    'Always 1; what would be started: the default version of a template, an instance type of the configuration, or a scaling group. One for each subnet.',
    ({ subnets, templateName, version }) =>
      (subnets === null || subnets.length === 0 ? [''] : subnets).map((subnet) => ({
        labels: { template_name: templateName, version, subnet_id: subnet },
        value: 1,
      })),
    ['template_id', 'template_name', 'version', ...launchLabelNames.slice(1), 'subnet_id'],
  ],
});

/** It has the labels of the other figures of scaling groups, and not those of launches. */
export const missingFamily = family<EvaluatedLaunch>(
  'cvm_scaling_group_missing',
  'How many instances the scaling group could not start now up to its maximum: MaxSize less InstanceCount less cvm_launch_headroom, at least 0. Absent while that is unknown.',
  ({ missing }) => missing,
  ['scaling_group_id'],
);

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
    ...familySamples([missingFamily], launch, labelText(labels)),
  ];
}
