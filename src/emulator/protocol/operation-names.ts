/** The operations that the emulator answers. DescribeLaunchTemplates goes beyond service.md. */
export const operationNames = [
  'DescribeAccountQuota',
  'DescribeLaunchTemplateVersions',
  'DescribeLaunchTemplates',
] as const;
export type OperationName = (typeof operationNames)[number];

export function isOperationName(name: string): name is OperationName {
  return operationNames.some((known) => known === name);
}
