/** The metrics of launches. A launch is judged by several records, so that they are of no record alone. */
import type { FamilyHeader, Sample } from '../../model/metric-family.ts';
import { launchParts, reasonsOfPart } from '../../model/launch.ts';
import type { LaunchRow, Launches } from '../launches.ts';
import { labelText, sampleText, type FamilyTexts } from './text-format.ts';

interface LaunchFamily extends FamilyHeader {
  readonly labels: readonly string[];
  samples(row: LaunchRow): readonly Sample[];
}

const own = ['template_id', 'zone', 'instance_type', 'charge_type'];

const labelsOf = ({ account, chargeType, instanceType, region, templateId, zone }: LaunchRow) => ({
  account,
  region,
  template_id: templateId,
  zone,
  instance_type: instanceType,
  charge_type: chargeType,
});

const gauge = { type: 'gauge' } as const;
const isMuted = ({ word }: LaunchRow) => word === 'muted';

/** The families of launches, in the order of the exposition. */
export const launchFamilies: readonly LaunchFamily[] = [
  {
    ...gauge,
    name: 'cvm_launch_headroom',
    help: 'How many instances this launch alone could start: an upper bound by quota, stock and addresses of the subnet. Launches share quotas and subnets, so never sum() it. Not counted: full placement groups, the price of spot, disks, EIPs and the balance. 0 as soon as one known part holds 0; absent while a part that applies is unknown, and if none gives a number.',
    labels: own,
    samples: ({ headroom }) => (headroom === null ? [] : [{ labels: {}, value: headroom }]),
  },
  {
    ...gauge,
    name: 'cvm_launch_blocked',
    help: 'Whether the launch would fail for the reason: 1 or 0 for each known part. A part blocks when it holds fewer than InstanceCount. Absent while the launch is muted.',
    labels: [...own, 'reason'],
    samples: (row) =>
      (isMuted(row) ? [] : row.parts).flatMap(({ isKnown, part, reason }) =>
        isKnown
          ? reasonsOfPart[part].map((each) => ({
              labels: { reason: each },
              value: each === reason ? 1 : 0,
            }))
          : [],
      ),
  },
  {
    ...gauge,
    name: 'cvm_launch_severity',
    help: 'Always 1, for each reason that blocks the launch. Sold-out spot is a warning, and so is a type that was never offered in a zone that nothing names; everything else is critical. Absent while the launch is muted.',
    labels: [...own, 'reason', 'severity'],
    samples: (row) =>
      (isMuted(row) ? [] : row.blocking).map(({ reason, severity }) => ({
        labels: { reason, severity },
        value: 1,
      })),
  },
  {
    ...gauge,
    name: 'cvm_launch_unknown',
    help: 'Whether a part that applies to the launch is not known now: not read yet, unreadable, failing or stale; 1 or 0. Absent while the launch is muted.',
    labels: [...own, 'part'],
    samples: (row) =>
      launchParts.flatMap((part) => {
        const found = isMuted(row) ? undefined : row.parts.find((each) => each.part === part);
        return found === undefined ? [] : [{ labels: { part }, value: found.isKnown ? 0 : 1 }];
      }),
  },
  {
    ...gauge,
    name: 'cvm_launch_info',
    help: 'Always 1; what would be started: the default version of a template, or an instance type of the configuration. One for each subnet.',
    labels: ['template_id', 'template_name', 'version', ...own.slice(1), 'subnet_id'],
    samples: ({ subnets, templateName, version }) =>
      (subnets === null || subnets.length === 0 ? [''] : subnets).map((subnet) => ({
        labels: { template_name: templateName, version, subnet_id: subnet },
        value: 1,
      })),
  },
];

/** The samples of launches as text. */
export function launchTexts({ judged }: Launches): readonly FamilyTexts[] {
  return launchFamilies.map((family) => ({
    family,
    texts: judged.flatMap((row) => {
      const base = labelText(labelsOf(row));
      return family.samples(row).map(({ labels, value }) => {
        const more = labelText(labels);
        return sampleText(family.name, more === '' ? base : `${base},${more}`, value);
      });
    }),
  }));
}
