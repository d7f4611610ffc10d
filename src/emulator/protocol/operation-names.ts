/** The operations of the emulator. The monitor polls only the first two (docs/service.md). */
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
