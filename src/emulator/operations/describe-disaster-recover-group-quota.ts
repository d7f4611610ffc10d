/**
 * DescribeDisasterRecoverGroupQuota: the quota of placement groups (docs/service.md, section 16.3). What the
 * service answers for a region without placement groups is not published, so we chose 0.
 */
import { refuseUnknown } from '../protocol/parameters.ts';
import { withOverrides, type Operation } from './operation.ts';

export const describeDisasterRecoverGroupQuota: Operation = (parameters, { region }) => {
  refuseUnknown(parameters, []);
  const {
    used = 0,
    limit = 0,
    instances_per_group: instances,
    ...overrides
  } = region.disaster_recover_group ?? {};
  const row = {
    GroupQuota: limit,
    CurrentNum: used,
    CvmInHostGroupQuota: instances?.host ?? 0,
    // The service has both names for the switch.
    CvmInSwGroupQuota: instances?.switch ?? 0,
    CvmInSwitchGroupQuota: instances?.switch ?? 0,
    CvmInRackGroupQuota: instances?.rack ?? 0,
  };
  return withOverrides(row, overrides);
};
