/**
 * The names that scenarios, actions, faults and requests share: IDs, charge types, quota types, stock levels, disks,
 * services and operations, with the schemas of them. Operations use them too: they refuse a malformed ID with a code.
 */
import { z } from 'zod';
import { matching } from './schema-parts.ts';

export const count = z.int().min(0);
export const versionNumber = z.int().min(1);

/** The schema of IDs like the example: its prefix, then 8 letters or digits. */
const idLike = (example: string) =>
  matching(new RegExp(`^${example.split('-')[0] ?? ''}-[a-z0-9]{8}$`), `an ID such as ${example}`);
export const templateId = matching(/^lt-[a-z0-9]{8,9}$/, 'a template ID such as lt-b8v1kcyq');
export const subnetId = idLike('subnet-bthucmmy');
export const scalingGroupId = idLike('asg-12wjuh0s');
export const launchConfigurationId = idLike('asc-ouy1ax38');
export const activityId = idLike('asa-5l2ejpfo');
export const placementGroupId = idLike('ps-1y147q03');
export const imageId = idLike('img-8toqc6s3');
export const snapshotId = idLike('snap-r8hr2upy');
export const instanceType = matching(
  /^[A-Z][A-Za-z0-9]*\.[A-Z0-9]+$/,
  'an instance type such as S5.LARGE8',
);
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
/** Every InstanceChargeType of the service. The emulator sells nothing for CDHPAID and CDCPAID. */
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

// The services that the emulator has: their name in hosts, the version of their interface, and how many requests per
// second each key may send to each gateway, unless the operation or the scenario has another limit.
const cvm = { service: 'cvm', version: '2017-03-12', perSecond: 20 };
const vpc = { service: 'vpc', version: '2017-03-12', perSecond: 100 };
const autoScaling = { service: 'as', version: '2018-04-19', perSecond: 20 };
const cbs = { service: 'cbs', version: '2017-03-12', perSecond: 20 };
const sts = { service: 'sts', version: '2018-08-13', perSecond: 20 };

/** The operations that the emulator serves. Each has a row in operations/handlers.ts, too. */
export const operations = {
  DescribeAccountQuota: cvm,
  DescribeAutoScalingActivities: autoScaling,
  DescribeAutoScalingGroups: { ...autoScaling, perSecond: 40 },
  DescribeDisasterRecoverGroupQuota: cvm,
  DescribeDisasterRecoverGroups: { ...cvm, perSecond: 10 },
  DescribeDiskConfigQuota: cbs,
  DescribeImageQuota: cvm,
  DescribeLaunchConfigurations: autoScaling,
  DescribeLaunchTemplateVersions: cvm,
  DescribeLaunchTemplates: cvm,
  DescribeRegions: cvm,
  DescribeSubnets: vpc,
  DescribeZoneInstanceConfigInfos: { ...cvm, perSecond: 40 },
  DescribeZones: cvm,
  InquiryPriceRunInstances: { ...cvm, perSecond: 10 },
  AssumeRole: sts,
  AssumeRoleWithWebIdentity: sts,
  GetCallerIdentity: sts,
};
export type ServiceOperation = keyof typeof operations;
const isServed = (name: string): name is ServiceOperation => name in operations;
export const operationNames = Object.keys(operations).filter(isServed);
/** The names of the services. A host such as cvm.tencentcloudapi.com begins with one. */
export const services = new Set(Object.values(operations).map(({ service }) => service));
/** The name that faults and the list of requests have for the metadata service, which has no operations. */
export const metadataOperation = 'Metadata';
/** The schema of an operation that a fault or `denied_operations` names. */
export const operationName = z.enum([...operationNames, metadataOperation]);
export type OperationName = z.output<typeof operationName>;
