/** The operations that the emulator answers; all but the first two go beyond service.md. */
export const operationNames = [
  'DescribeAccountQuota',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
  'DescribeRegions',
  'DescribeZones',
] as const;
export type OperationName = (typeof operationNames)[number];

export function isOperationName(name: string): name is OperationName {
  return operationNames.some((known) => known === name);
}
