import { z } from 'zod';

/** The operations that the emulator answers; all but the first two go beyond what the monitor polls (docs/service.md). */
const operationNames = [
  'DescribeAccountQuota',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
  'DescribeRegions',
  'DescribeZones',
] as const;
export const operationName = z.enum(operationNames).meta({ id: 'OperationName' });
export type OperationName = z.output<typeof operationName>;

export function isOperationName(name: string): name is OperationName {
  return operationNames.some((known) => known === name);
}
