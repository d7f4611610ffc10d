/**
 * The metrics of launches. Several records judge a launch, so they are not among the metrics of records.
 * `record-samples.ts` takes the samples of each judged launch of the shard.
 */
import type { EvaluatedLaunch } from '../../model/launches/judge-region.ts';
import { launchParts, notCounted } from '../../model/launches/parts/parts.ts';
import type { LabelledAccount } from '../../model/target.ts';
import { launchLabels } from '../filter.ts';
import { chargeTypeText } from '../launch-text.ts';
import { describedFamilies, type Families } from './described-families.ts';
import help from './help.json' with { type: 'json' };
import { labelText, familySamples, type FamilySamples } from './text-format.ts';

/** The parts of a launch without those that lack a permission. Empty for a muted launch: it has no metrics of parts. */
const judgedParts = ({ parts, state }: EvaluatedLaunch) =>
  state === 'muted' ? [] : parts.filter(({ isAsked }) => isAsked !== false);

/** For HELP: the reasons that may be warnings, with the condition. */
const warnings = launchParts.flatMap(({ reasons }) =>
  Object.entries(reasons).flatMap(([reason, { warning }]) =>
    warning === undefined ? [] : `${reason} is a warning ${warning}`,
  ),
);

/** The families with the labels of a launch. A scaling group also has those of {@link groupFamilies}. */
export const launchFamilies: Families<EvaluatedLaunch> = describedFamilies(
  help.launch,
  {
    cvm_launch_headroom: ({ headroom }) => headroom,
    cvm_launch_blocked: (launch) => {
      const knownParts = judgedParts(launch).filter(({ isKnown }) => isKnown);
      const blockingParts = knownParts.filter(({ isHarmless }) => !isHarmless);
      const blockingReasons = blockingParts.flatMap(({ reason }) => reason ?? []);
      const partReasons = knownParts.flatMap(({ part }) => Object.keys(part.reasons));
      // A price may be refused for the reason of a part that does not apply, or is unknown.
      const reasons = new Set([...partReasons, ...blockingReasons]);
      return [...reasons].map((reason) => ({
        labels: { reason },
        value: Number(blockingReasons.includes(reason)),
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
      // A label that is empty is left out.
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

/** The families of scaling groups only. Like other metrics of groups, and unlike those above, they have no `charge_type`. */
export const groupFamilies: Families<EvaluatedLaunch> = describedFamilies(help.group, {
  cvm_scaling_group_missing: ({ missing }) => missing,
});

/**
 * The samples of a launch that is judged.
 *
 * @param accountLabels the configured labels of the account
 */
export function launchSamples(
  launch: EvaluatedLaunch,
  accountLabels: LabelledAccount['labels'],
): FamilySamples[] {
  const { group, instanceType, zone } = launch;
  // A group starts in several zones, with several types.
  const place = group === null ? { zone, instance_type: instanceType } : {};
  const optionLabels = { ...place, charge_type: chargeTypeText(launch) };
  const labels = { account: launch.account, ...accountLabels, ...launchLabels(launch) };
  return [
    ...familySamples(launchFamilies, launch, labelText({ ...labels, ...optionLabels })),
    ...familySamples(groupFamilies, launch, labelText(labels)),
  ];
}
