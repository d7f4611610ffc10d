/**
 * The names that scenarios, actions, faults and requests share: IDs, charge types, quota types, stock levels, disks,
 * services and operations, with the schemas of them. The patterns are for operations too, which refuse a malformed ID
 * with a code.
 */
import { z } from 'zod';
import { matching } from './schema-parts.ts';

export const count = z.int().min(0);
export const versionNumber = z.int().min(1);

export const templateIdPattern = /^lt-[a-z0-9]{8,9}$/;
export const subnetIdPattern = /^subnet-[a-z0-9]{8}$/;
/** The pattern of an ID such as `asg-12wjuh0s`. */
const idPattern = (prefix: string) => new RegExp(`^${prefix}-[a-z0-9]{8}$`);
export const scalingGroupIdPattern = idPattern('asg');
export const launchConfigurationIdPattern = idPattern('asc');
export const activityIdPattern = idPattern('asa');
export const placementGroupIdPattern = idPattern('ps');
export const imageIdPattern = idPattern('img');
export const snapshotIdPattern = idPattern('snap');
export const instanceTypePattern = /^[A-Z][A-Za-z0-9]*\.[A-Z0-9]+$/;
export const templateId = matching(templateIdPattern, 'a template ID such as lt-b8v1kcyq');
export const subnetId = matching(subnetIdPattern, 'a subnet ID such as subnet-bthucmmy');
export const scalingGroupId = matching(scalingGroupIdPattern, 'an ID such as asg-12wjuh0s');
export const launchConfigurationId = matching(
  launchConfigurationIdPattern,
  'an ID such as asc-ouy1ax38',
);
export const activityId = matching(activityIdPattern, 'an ID such as asa-5l2ejpfo');
export const placementGroupId = matching(placementGroupIdPattern, 'an ID such as ps-1y147q03');
export const imageId = matching(imageIdPattern, 'an ID such as img-8toqc6s3');
export const snapshotId = matching(snapshotIdPattern, 'an ID such as snap-r8hr2upy');
export const instanceType = matching(instanceTypePattern, 'an instance type such as S5.LARGE8');
export const regionName = matching(/^[a-z0-9]+(-[a-z0-9]+)+$/, 'a region such as ap-guangzhou');
export const zoneName = matching(/^[a-z0-9]+(-[a-z0-9]+)+-\d+$/, 'a zone such as ap-guangzhou-3');

export const chargeTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
export type ChargeType = (typeof chargeTypes)[number];
/** The names of the charge types at the service. */
export const chargeTypeNames: Readonly<Record<ChargeType, string>> = {
  postpaid: 'POSTPAID_BY_HOUR',
  prepaid: 'PREPAID',
  spotpaid: 'SPOTPAID',
};
/** Every InstanceChargeType of the service. For the last two, the emulator sells nothing. */
export const chargeTypeValues = [...Object.values(chargeTypeNames), 'CDHPAID', 'CDCPAID'];
export const quotaTypes = [...chargeTypes, 'image', 'disaster_recover_group'] as const;
export type QuotaType = (typeof quotaTypes)[number];
/** The StatusCategory of an instance type, the best one first. */
export const stockLevels = ['EnoughStock', 'NormalStock', 'UnderStock', 'WithoutStock'] as const;
export type StockLevel = (typeof stockLevels)[number];

export const diskTypes = [
  'CLOUD_BASIC',
  'CLOUD_PREMIUM',
  'CLOUD_BSSD',
  'CLOUD_SSD',
  'CLOUD_HSSD',
  'CLOUD_TSSD',
] as const;
export const diskUsages = ['SYSTEM_DISK', 'DATA_DISK'] as const;
/** The charge types of disks. Spot instances take disks that are paid by the hour. */
export const diskChargeTypes = ['prepaid', 'postpaid'] as const;

/** The services that the emulator has. A host such as cvm.tencentcloudapi.com begins with one of them. */
export const services = ['cvm', 'vpc', 'as', 'cbs', 'sts'] as const;

/** The operations that the emulator serves. Each has a row in operations/table.ts. */
export const operationNames = [
  'DescribeAccountQuota',
  'DescribeAutoScalingActivities',
  'DescribeAutoScalingGroups',
  'DescribeDisasterRecoverGroupQuota',
  'DescribeDisasterRecoverGroups',
  'DescribeDiskConfigQuota',
  'DescribeImageQuota',
  'DescribeLaunchConfigurations',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
  'DescribeRegions',
  'DescribeSubnets',
  'DescribeZoneInstanceConfigInfos',
  'DescribeZones',
  'InquiryPriceRunInstances',
  'AssumeRole',
  'AssumeRoleWithWebIdentity',
  'GetCallerIdentity',
] as const;
export type ServiceOperation = (typeof operationNames)[number];
/** The operation that faults and the list of requests call every request to the metadata service. */
export const metadataOperation = 'Metadata';
/** The schema of an operation that a fault or `denied_operations` names. */
export const operationName = z.enum([...operationNames, metadataOperation]);
export type OperationName = z.output<typeof operationName>;
