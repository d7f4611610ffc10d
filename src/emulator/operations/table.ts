/**
 * The operations of all services, with their rate limits. `service/dispatch.ts` looks them up. A new one needs a file
 * here, its name in scenario/vocabulary.ts, and a row.
 */
import type { services, ServiceOperation } from '../scenario/vocabulary.ts';
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

/**
 * The function that answers, and what it works on: a region of the account, the account of the caller, or neither.
 * Requests of the scope `public` need no signature.
 */
type Handler =
  | { readonly scope: 'region'; readonly answer: Operation }
  | { readonly scope: 'caller'; readonly answer: Operation<CallerContext> }
  | { readonly scope: 'public'; readonly answer: Operation<PublicContext> };

export type ServedOperation = Handler & {
  readonly service: (typeof services)[number];
  readonly version: string;
  /** Requests per second that each key may send to each gateway, unless the scenario has another limit. */
  readonly perSecond: number;
};

const ofRegion = (answer: Operation) => ({ scope: 'region', answer }) as const;
const ofCaller = (answer: Operation<CallerContext>) => ({ scope: 'caller', answer }) as const;

/** Makes the rows of a service. Without another limit, an operation takes 20 requests per second. */
function rowsOf(service: ServedOperation['service'], version: string, usual = 20) {
  return (handler: Handler, perSecond = usual) => ({ service, version, perSecond, ...handler });
}
const cvm = rowsOf('cvm', '2017-03-12');
const vpc = rowsOf('vpc', '2017-03-12', 100);
const autoScaling = rowsOf('as', '2018-04-19');
const cbs = rowsOf('cbs', '2017-03-12');
const sts = rowsOf('sts', '2018-08-13');

export const operations: Readonly<Record<ServiceOperation, ServedOperation>> = {
  DescribeAccountQuota: cvm(ofRegion(describeAccountQuota)),
  DescribeAutoScalingActivities: autoScaling(ofRegion(describeAutoScalingActivities)),
  DescribeAutoScalingGroups: autoScaling(ofRegion(describeAutoScalingGroups), 40),
  DescribeDisasterRecoverGroupQuota: cvm(ofRegion(describeDisasterRecoverGroupQuota)),
  DescribeDisasterRecoverGroups: cvm(ofRegion(describeDisasterRecoverGroups), 10),
  DescribeDiskConfigQuota: cbs(ofRegion(describeDiskConfigQuota)),
  DescribeImageQuota: cvm(ofRegion(describeImageQuota)),
  DescribeLaunchConfigurations: autoScaling(ofRegion(describeLaunchConfigurations)),
  DescribeLaunchTemplateVersions: cvm(ofRegion(describeLaunchTemplateVersions)),
  DescribeLaunchTemplates: cvm(ofRegion(describeLaunchTemplates)),
  DescribeRegions: cvm(ofCaller(describeRegions)),
  DescribeZoneInstanceConfigInfos: cvm(ofRegion(describeZoneInstanceConfigInfos), 40),
  DescribeZones: cvm(ofRegion(describeZones)),
  DescribeSubnets: vpc(ofRegion(describeSubnets)),
  InquiryPriceRunInstances: cvm(ofRegion(inquiryPriceRunInstances), 10),
  AssumeRole: sts(ofCaller(assumeRole)),
  AssumeRoleWithWebIdentity: sts({ scope: 'public', answer: assumeRoleWithWebIdentity }),
  GetCallerIdentity: sts(ofCaller(getCallerIdentity)),
};
