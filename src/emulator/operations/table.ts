/** The operations of all services. A new one needs a file here, its name in scenario/words.ts, and a row. */
import type { ServiceOperation } from '../scenario/words.ts';
import { assumeRoleWithWebIdentity } from './assume-role-with-web-identity.ts';
import { assumeRole } from './assume-role.ts';
import { describeAccountQuota } from './describe-account-quota.ts';
import { describeDisasterRecoverGroupQuota } from './describe-disaster-recover-group-quota.ts';
import { describeImageQuota } from './describe-image-quota.ts';
import { describeLaunchTemplateVersions } from './describe-launch-template-versions.ts';
import { describeLaunchTemplates } from './describe-launch-templates.ts';
import { describeRegions } from './describe-regions.ts';
import { describeSubnets } from './describe-subnets.ts';
import { describeZoneInstanceConfigInfos } from './describe-zone-instance-config-infos.ts';
import { describeZones } from './describe-zones.ts';
import { getCallerIdentity } from './get-caller-identity.ts';
import type { CallerContext, Operation, PublicContext } from './operation.ts';

const cvm = { service: 'cvm', version: '2017-03-12', perSecond: 20 } as const;
const vpc = { service: 'vpc', version: '2017-03-12', perSecond: 100 } as const;
const sts = { service: 'sts', version: '2018-08-13', perSecond: 20 } as const;

/** `perSecond` is the limit of each key at each gateway. `needs` is what a request must have. */
export type OperationRow = {
  readonly service: 'cvm' | 'vpc' | 'sts';
  readonly version: string;
  readonly perSecond: number;
} & (
  | { readonly needs: 'region'; readonly answer: Operation }
  | { readonly needs: 'caller'; readonly answer: Operation<CallerContext> }
  | { readonly needs: 'nothing'; readonly answer: Operation<PublicContext> }
);

export const operations: Readonly<Record<ServiceOperation, OperationRow>> = {
  DescribeAccountQuota: { ...cvm, needs: 'region', answer: describeAccountQuota },
  DescribeDisasterRecoverGroupQuota: {
    ...cvm,
    needs: 'region',
    answer: describeDisasterRecoverGroupQuota,
  },
  DescribeImageQuota: { ...cvm, needs: 'region', answer: describeImageQuota },
  DescribeLaunchTemplateVersions: {
    ...cvm,
    needs: 'region',
    answer: describeLaunchTemplateVersions,
  },
  DescribeLaunchTemplates: { ...cvm, needs: 'region', answer: describeLaunchTemplates },
  DescribeRegions: { ...cvm, needs: 'caller', answer: describeRegions },
  DescribeSubnets: { ...vpc, needs: 'region', answer: describeSubnets },
  DescribeZoneInstanceConfigInfos: {
    ...cvm,
    perSecond: 40,
    needs: 'region',
    answer: describeZoneInstanceConfigInfos,
  },
  DescribeZones: { ...cvm, needs: 'region', answer: describeZones },
  AssumeRole: { ...sts, needs: 'caller', answer: assumeRole },
  AssumeRoleWithWebIdentity: { ...sts, needs: 'nothing', answer: assumeRoleWithWebIdentity },
  GetCallerIdentity: { ...sts, needs: 'caller', answer: getCallerIdentity },
};
