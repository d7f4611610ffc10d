/** The metrics of launch templates, from DescribeLaunchTemplateVersions (docs/service.md, section 6). */
import { sampleOf, type Family, type RecordView, type Sample } from '../../model/metric-family.ts';
import type {
  LaunchTemplateCounted,
  LaunchTemplateRecord,
  LaunchTemplateSnapshot,
} from './record.ts';

const asOf = 'From the last successful poll.';

function gaugeOf(valueOf: (snapshot: LaunchTemplateSnapshot) => number | undefined) {
  return ({ record, isFresh }: RecordView<LaunchTemplateRecord>) =>
    sampleOf(isFresh && record.seen.snapshot !== null ? valueOf(record.seen.snapshot) : null);
}

function counterOf(valueOf: (counted: LaunchTemplateCounted) => number) {
  return ({ record }: RecordView<LaunchTemplateRecord>) => sampleOf(valueOf(record.counted));
}

function defaultVersionInfo({ record, isFresh }: RecordView<LaunchTemplateRecord>): Sample[] {
  const defaultVersion = isFresh ? (record.seen.snapshot?.defaultVersion ?? null) : null;
  if (defaultVersion === null) return [];
  const { version, imageId, instanceType, chargeType } = defaultVersion;
  const labels = {
    template_name: record.target.listed?.name ?? null,
    version,
    image_id: imageId,
    instance_type: instanceType,
    charge_type: chargeType,
  };
  return [{ labels, value: 1 }];
}

export const launchTemplateFamilies: readonly Family<LaunchTemplateRecord>[] = [
  {
    name: 'cvm_launch_template_default_version',
    type: 'gauge',
    help: `The version with IsDefaultVersion of DescribeLaunchTemplateVersions; absent when no version, or more than one, is the default. ${asOf}`,
    samples: gaugeOf((snapshot) => snapshot.defaultVersion?.version),
  },
  {
    name: 'cvm_launch_template_latest_version',
    type: 'gauge',
    help: `The highest LaunchTemplateVersion of DescribeLaunchTemplateVersions. ${asOf}`,
    samples: ({ record, isFresh }) =>
      sampleOf(isFresh ? (record.counted.inventory?.known.at(-1) ?? null) : null),
  },
  {
    name: 'cvm_launch_template_versions',
    type: 'gauge',
    help: `How many versions DescribeLaunchTemplateVersions lists. ${asOf}`,
    samples: gaugeOf(({ versions, unidentified }) => versions.length + unidentified),
  },
  {
    name: 'cvm_launch_template_default_version_changes_total',
    type: 'counter',
    help: 'How often the version with IsDefaultVersion of DescribeLaunchTemplateVersions differed from the last known one.',
    samples: counterOf((counted) => counted.defaultVersionChanges),
  },
  {
    name: 'cvm_launch_template_default_version_change_timestamp_seconds',
    type: 'gauge',
    help: 'When the last change of IsDefaultVersion of DescribeLaunchTemplateVersions was found, in seconds since the Unix epoch; absent before the first change.',
    samples: ({ record: { counted } }) =>
      counted.defaultVersionChangedAtMs === null
        ? []
        : [{ labels: {}, value: counted.defaultVersionChangedAtMs / 1_000 }],
  },
  {
    name: 'cvm_launch_template_versions_created_total',
    type: 'counter',
    help: 'How many versions DescribeLaunchTemplateVersions listed that the previous successful poll did not list.',
    samples: counterOf((counted) => counted.versionsCreated),
  },
  {
    name: 'cvm_launch_template_versions_deleted_total',
    type: 'counter',
    help: 'How many versions DescribeLaunchTemplateVersions no longer listed, but the previous successful poll listed.',
    samples: counterOf((counted) => counted.versionsDeleted),
  },
  {
    name: 'cvm_launch_template_default_version_info',
    type: 'gauge',
    help: `Always 1; the labels are LaunchTemplateVersion and ImageId, InstanceType and InstanceChargeType of the default version's LaunchTemplateVersionData, and LaunchTemplateName of DescribeLaunchTemplates if discovery found the template. ${asOf}`,
    samples: defaultVersionInfo,
  },
];
