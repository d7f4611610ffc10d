/** The operations by name: a new one has its folder in operations/, its name in protocol/, and a row here. */
import { describeAccountQuota } from '../operations/describe-account-quota/operation.ts';
import { describeLaunchTemplateVersions } from '../operations/describe-launch-template-versions/operation.ts';
import { describeLaunchTemplates } from '../operations/describe-launch-templates/operation.ts';
import type { Operation } from '../operations/operation.ts';
import type { OperationName } from '../protocol/operation-names.ts';

export const operations: Readonly<Record<OperationName, Operation>> = {
  DescribeAccountQuota: describeAccountQuota,
  DescribeLaunchTemplateVersions: describeLaunchTemplateVersions,
  DescribeLaunchTemplates: describeLaunchTemplates,
};
