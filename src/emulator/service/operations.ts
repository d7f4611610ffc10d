/** The operations by name. A new one needs a folder in operations/, a name in protocol/, and a row here. */
import { describeAccountQuota } from '../operations/describe-account-quota/operation.ts';
import { describeLaunchTemplateVersions } from '../operations/describe-launch-template-versions/operation.ts';
import { describeLaunchTemplates } from '../operations/describe-launch-templates/operation.ts';
import { describeRegions } from '../operations/describe-regions/operation.ts';
import { describeZones } from '../operations/describe-zones/operation.ts';
import type { AccountOperation, Operation } from '../operations/operation.ts';
import type { OperationName } from '../protocol/operation-names.ts';

type Row =
  | { readonly needsRegion: true; readonly answer: Operation }
  | { readonly needsRegion: false; readonly answer: AccountOperation };

export const operations: Readonly<Record<OperationName, Row>> = {
  DescribeAccountQuota: { needsRegion: true, answer: describeAccountQuota },
  DescribeLaunchTemplateVersions: { needsRegion: true, answer: describeLaunchTemplateVersions },
  DescribeLaunchTemplates: { needsRegion: true, answer: describeLaunchTemplates },
  DescribeRegions: { needsRegion: false, answer: describeRegions },
  DescribeZones: { needsRegion: true, answer: describeZones },
};
