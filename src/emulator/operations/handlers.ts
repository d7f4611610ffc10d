/**
 * The function of each operation with its scope. `service/dispatch.ts` looks them up. A new operation needs a file in this
 * folder, its service and rate limit in scenario/vocabulary.ts, and a row here.
 */
import type { ServiceOperation } from '../scenario/vocabulary.ts';
import {
  describeAutoScalingActivities,
  describeAutoScalingGroups,
  describeLaunchConfigurations,
} from './auto-scaling.ts';
import { describeDisasterRecoverGroups } from './describe-disaster-recover-groups.ts';
import { describeDiskConfigQuota } from './describe-disk-config-quota.ts';
import { describeSubnets } from './describe-subnets.ts';
import { describeZoneInstanceConfigInfos } from './describe-zone-instance-config-infos.ts';
import { inquiryPriceRunInstances } from './inquiry-price-run-instances.ts';
import { describeLaunchTemplates, describeLaunchTemplateVersions } from './launch-templates.ts';
import type { CallerContext, Operation, PublicContext } from './operation.ts';
import {
  describeAccountQuota,
  describeDisasterRecoverGroupQuota,
  describeImageQuota,
} from './quotas.ts';
import { describeRegions, describeZones } from './regions.ts';
import { assumeRole, assumeRoleWithWebIdentity, getCallerIdentity } from './sts.ts';

// The scope of an operation is what it works on: a region of the account, the account of the caller, or neither.
const ofRegion = (answer: Operation) => ({ scope: 'region', answer }) as const;
const ofCaller = (answer: Operation<CallerContext>) => ({ scope: 'caller', answer }) as const;
/** Of the public scope: requests need no signature. */
const ofPublic = (answer: Operation<PublicContext>) => ({ scope: 'public', answer }) as const;

export const handlers = {
  DescribeAccountQuota: ofRegion(describeAccountQuota),
  DescribeAutoScalingActivities: ofRegion(describeAutoScalingActivities),
  DescribeAutoScalingGroups: ofRegion(describeAutoScalingGroups),
  DescribeDisasterRecoverGroupQuota: ofRegion(describeDisasterRecoverGroupQuota),
  DescribeDisasterRecoverGroups: ofRegion(describeDisasterRecoverGroups),
  DescribeDiskConfigQuota: ofRegion(describeDiskConfigQuota),
  DescribeImageQuota: ofRegion(describeImageQuota),
  DescribeLaunchConfigurations: ofRegion(describeLaunchConfigurations),
  DescribeLaunchTemplateVersions: ofRegion(describeLaunchTemplateVersions),
  DescribeLaunchTemplates: ofRegion(describeLaunchTemplates),
  DescribeRegions: ofCaller(describeRegions),
  DescribeSubnets: ofRegion(describeSubnets),
  DescribeZoneInstanceConfigInfos: ofRegion(describeZoneInstanceConfigInfos),
  DescribeZones: ofRegion(describeZones),
  InquiryPriceRunInstances: ofRegion(inquiryPriceRunInstances),
  AssumeRole: ofCaller(assumeRole),
  AssumeRoleWithWebIdentity: ofPublic(assumeRoleWithWebIdentity),
  GetCallerIdentity: ofCaller(getCallerIdentity),
} satisfies Readonly<Record<ServiceOperation, unknown>>;
