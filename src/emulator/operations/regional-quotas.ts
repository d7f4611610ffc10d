/**
 * DescribeImageQuota and DescribeDisasterRecoverGroupQuota: the limits of custom images and of placement groups
 * (docs/service.md, section 16.3). Not published, so we chose: 0 for a region without them.
 */
import { refuseUnknown } from '../protocol/parameters.ts';
import type { Region } from '../scenario/region.ts';
import { withOverrides, type Operation } from './operation.ts';

export const describeImageQuota: Operation = (parameters, { region: { image } }) => {
  refuseUnknown(parameters, []);
  return withOverrides({ ImageNumQuota: image?.limit ?? 0 }, image ?? {});
};

export const describeDisasterRecoverGroupQuota: Operation = (parameters, { region }) => {
  refuseUnknown(parameters, []);
  const row = groupQuotaRow(region);
  // The service has both names for the switch.
  const both = { ...row, CvmInSwGroupQuota: row.CvmInSwitchGroupQuota };
  return withOverrides(both, region.disaster_recover_group ?? {});
};

/** The quota of placement groups, as DescribeAccountQuota has it too. */
export function groupQuotaRow({ disaster_recover_group: quota }: Region) {
  const most = quota?.instances_per_group;
  return {
    CvmInRackGroupQuota: most?.rack ?? 0,
    GroupQuota: quota?.limit ?? 0,
    CvmInHostGroupQuota: most?.host ?? 0,
    CurrentNum: quota?.used ?? 0,
    CvmInSwitchGroupQuota: most?.switch ?? 0,
  };
}
