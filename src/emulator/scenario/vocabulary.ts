/**
 * The names that scenarios, actions, faults and requests share: IDs, charge types, quota types, stock levels and
 * operations, with the schemas of them. The patterns are for operations too, which refuse a malformed ID with a code.
 */
import { z } from 'zod';
import { matching } from './schema-parts.ts';

export const count = z.int().min(0);
export const versionNumber = z.int().min(1);

export const templateIdPattern = /^lt-[a-z0-9]{8,9}$/;
export const subnetIdPattern = /^subnet-[a-z0-9]{8}$/;
export const instanceTypePattern = /^[A-Z][A-Za-z0-9]*\.[A-Z0-9]+$/;
export const templateId = matching(templateIdPattern, 'a template ID such as lt-b8v1kcyq');
export const subnetId = matching(subnetIdPattern, 'a subnet ID such as subnet-bthucmmy');
export const instanceType = matching(instanceTypePattern, 'an instance type such as S5.LARGE8');
export const regionName = matching(/^[a-z0-9]+(-[a-z0-9]+)+$/, 'a region such as ap-guangzhou');
export const zoneName = matching(/^[a-z0-9]+(-[a-z0-9]+)+-\d+$/, 'a zone such as ap-guangzhou-3');

export const chargeTypes = ['postpaid', 'prepaid', 'spotpaid'] as const;
export type ChargeType = (typeof chargeTypes)[number];
export const quotaTypes = [...chargeTypes, 'image', 'disaster_recover_group'] as const;
export type QuotaType = (typeof quotaTypes)[number];
/** The StatusCategory of an instance type, the best one first. */
export const stockLevels = ['EnoughStock', 'NormalStock', 'UnderStock', 'WithoutStock'] as const;
export type StockLevel = (typeof stockLevels)[number];

/** The operations that the emulator serves. Each has a row in operations/table.ts. */
export const operationNames = [
  'DescribeAccountQuota',
  'DescribeDisasterRecoverGroupQuota',
  'DescribeImageQuota',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
  'DescribeRegions',
  'DescribeSubnets',
  'DescribeZoneInstanceConfigInfos',
  'DescribeZones',
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
