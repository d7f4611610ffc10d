import { z } from 'zod';

/** The operations of the emulator (docs/service.md). */
const operationNames = [
  'DescribeAccountQuota',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
  'DescribeRegions',
  'DescribeZones',
  'AssumeRole',
  'AssumeRoleWithWebIdentity',
  'GetCallerIdentity',
] as const;
export type ServiceOperation = (typeof operationNames)[number];

/** The name of all requests to the metadata service of a machine, for faults and in the log. */
export const metadataOperation = 'Metadata';

export const operationName = z
  .enum([...operationNames, metadataOperation])
  .meta({ id: 'OperationName' });
export type OperationName = z.output<typeof operationName>;

/** The operation of this name. `null` if there is none. */
export function serviceOperation(name: string): ServiceOperation | null {
  return operationNames.find((known) => known === name) ?? null;
}
