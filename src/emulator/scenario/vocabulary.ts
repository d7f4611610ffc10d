/**
 * The names that scenarios, actions, faults and requests share: IDs, charge types, quota types, stock levels, disks,
 * services and operations, with the schemas of them. Operations use them too: they refuse a malformed ID with a code.
 */
import { z } from 'zod';
import operations from './operations.json' with { type: 'json' };
import { matching } from './schema-parts.ts';

export const count = z.int().min(0);
export const versionNumber = z.int().min(1);

/** The schema of an ID such as `asg-12wjuh0s`. */
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
export const services = new Set(Object.values(operations).map(({ service }) => service));

// Not exported, nor another type that names the file: the types of the package do not have it.
const isServed = (name: string): name is keyof typeof operations => name in operations;
/** The operations that the emulator serves. Each has a row in operations.json, and one in operations/table.ts. */
export const operationNames = Object.keys(operations).filter(isServed);
export type ServiceOperation = (typeof operationNames)[number];
/** The operation that faults and the list of requests call every request to the metadata service. */
export const metadataOperation = 'Metadata';
/** The schema of an operation that a fault or `denied_operations` names. */
export const operationName = z.enum([...operationNames, metadataOperation]);
export type OperationName = z.output<typeof operationName>;
