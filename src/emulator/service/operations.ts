/** The operations by name. A new one needs a folder in operations/, a name in protocol/, and a row here. */
import { assumeRole } from '../operations/assume-role/operation.ts';
import { assumeRoleWithWebIdentity } from '../operations/assume-role-with-web-identity/operation.ts';
import { describeAccountQuota } from '../operations/describe-account-quota/operation.ts';
import { describeLaunchTemplateVersions } from '../operations/describe-launch-template-versions/operation.ts';
import { describeLaunchTemplates } from '../operations/describe-launch-templates/operation.ts';
import { describeRegions } from '../operations/describe-regions/operation.ts';
import { describeZones } from '../operations/describe-zones/operation.ts';
import { getCallerIdentity } from '../operations/get-caller-identity/operation.ts';
import type {
  AccountOperation,
  IdentityOperation,
  Operation,
  PublicOperation,
} from '../operations/operation.ts';
import type { ServiceOperation } from '../protocol/operation-names.ts';

/** By what an operation works on. */
type Row =
  | { readonly on: 'region'; readonly answer: Operation }
  | { readonly on: 'account'; readonly answer: AccountOperation }
  | { readonly on: 'identity'; readonly answer: IdentityOperation }
  | { readonly on: 'token'; readonly answer: PublicOperation };

export const operations: Readonly<Record<ServiceOperation, Row>> = {
  DescribeAccountQuota: { on: 'region', answer: describeAccountQuota },
  DescribeLaunchTemplateVersions: { on: 'region', answer: describeLaunchTemplateVersions },
  DescribeLaunchTemplates: { on: 'region', answer: describeLaunchTemplates },
  DescribeRegions: { on: 'account', answer: describeRegions },
  DescribeZones: { on: 'region', answer: describeZones },
  AssumeRole: { on: 'identity', answer: assumeRole },
  AssumeRoleWithWebIdentity: { on: 'token', answer: assumeRoleWithWebIdentity },
  GetCallerIdentity: { on: 'identity', answer: getCallerIdentity },
};

/** The version of the API of an operation: that of cvm, or that of STS. */
export function versionOf({ on }: Row): string {
  return on === 'identity' || on === 'token' ? '2018-08-13' : '2017-03-12';
}
