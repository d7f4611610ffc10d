/**
 * DescribeSubnets of vpc (docs/service.md, section 16.2). Not published, so we chose: an unknown ID is refused with
 * ResourceNotFound (`unknown_subnets` of the behaviour leaves it out), a filter has at most 100 values, and
 * NextToken is the offset of the next page, empty at the end.
 */
import {
  filtersOf,
  integerOf,
  isGiven,
  refuseUnknown,
  stringOf,
  stringsOf,
  type Filter,
  type FilterRules,
  type Parameters,
} from '../protocol/parameters.ts';
import { ServiceError } from '../protocol/service-error.ts';
import type { Region, Subnet } from '../scenario/region.ts';
import { subnetIdPattern } from '../scenario/vocabulary.ts';
import {
  tagRows,
  tagTest,
  maxLimit,
  withOverrides,
  type Operation,
  type RegionContext,
} from './operation.ts';

const maxIds = 100;
const filterRules: FilterRules = {
  maxValues: 100,
  tooManyCode: 'InvalidParameterValue.LimitExceeded',
  incompleteCode: 'InvalidParameter.FilterNotDict',
  notListCode: 'InvalidParameter.FilterValuesNotList',
};

export const describeSubnets: Operation = (parameters, context) => {
  const allowed = ['SubnetIds', 'Filters', 'Offset', 'Limit', 'MaxResults', 'NextToken'];
  refuseUnknown(parameters, allowed);
  const subnets = selectSubnets(parameters, context);
  const { rows, ...nextToken } = pageAndToken(subnets, parameters);
  return { SubnetSet: rows.map(subnetRow), TotalCount: subnets.length, ...nextToken };
};

function selectSubnets(
  parameters: Parameters,
  { region, behaviour }: RegionContext,
): readonly Subnet[] {
  const ids = stringsOf(parameters, 'SubnetIds');
  if (ids === null) {
    return filtersOf(parameters, filterRules).reduce<readonly Subnet[]>(
      (subnets, filter) => subnets.filter(filterTest(filter)),
      region.subnets,
    );
  }
  if (isGiven(parameters, 'Filters')) throw new ServiceError('InvalidParameter.Coexist');
  if (ids.length > maxIds) throw new ServiceError('InvalidParameterValue.LimitExceeded');
  return [...new Set(ids)].flatMap((id) => {
    const subnet = subnetOf(id, region);
    if (subnet !== undefined) return [subnet];
    if (behaviour.unknown_subnets === 'left-out') return [];
    const message = `The subnet \`${id}\` does not exist.`;
    throw new ServiceError('ResourceNotFound', message);
  });
}

/** @throws ServiceError when the ID is empty or malformed; an unknown ID is `undefined` */
function subnetOf(id: string, { subnets }: Region): Subnet | undefined {
  if (id === '') throw new ServiceError('InvalidParameterValue.Empty');
  if (!subnetIdPattern.test(id)) throw new ServiceError('InvalidParameterValue.Malformed');
  return subnets.find((subnet) => subnet.id === id);
}

/** The field of a subnet that each filter compares. Filters by tags are not among them. */
const filterFields: Readonly<Record<string, (subnet: Subnet) => string>> = {
  'vpc-id': ({ vpc }) => vpc,
  'subnet-id': ({ id }) => id,
  zone: ({ zone }) => zone,
  'subnet-name': ({ name }) => name,
  'cidr-block': ({ cidr_block: block }) => block,
  'is-default': ({ is_default: isDefault }) => String(isDefault),
};

/** The test of one filter: one matching value is enough. A subnet must pass the tests of all filters. */
function filterTest(filter: Filter): (subnet: Subnet) => boolean {
  const { name, values } = filter;
  const fieldOf = Object.hasOwn(filterFields, name) ? filterFields[name] : undefined;
  if (fieldOf !== undefined) return (subnet) => values.includes(fieldOf(subnet));
  const hasTag = tagTest(filter);
  if (hasTag === null) throw new ServiceError('InvalidParameter.FilterInvalidKey');
  return ({ tags }) => hasTag(tags);
}

/** A page by Offset and Limit, or by MaxResults and NextToken. Only the second has a NextToken in its answer. */
function pageAndToken(subnets: readonly Subnet[], parameters: Parameters) {
  if (isGiven(parameters, 'MaxResults') || isGiven(parameters, 'NextToken')) {
    if (isGiven(parameters, 'Offset') || isGiven(parameters, 'Limit')) {
      throw new ServiceError('InvalidParameter.Coexist');
    }
    const maxResults = requireInRange(integerOf(parameters, 'MaxResults') ?? 20, 1, maxLimit);
    const from = parseNumber(stringOf(parameters, 'NextToken') ?? '0');
    const end = from + maxResults;
    const token = end < subnets.length ? String(end) : '';
    return { rows: subnets.slice(from, end), NextToken: token };
  }
  const offset = parseNumber(stringOf(parameters, 'Offset') ?? '0');
  const limit = requireInRange(parseNumber(stringOf(parameters, 'Limit') ?? '20'), 1, maxLimit);
  return { rows: subnets.slice(offset, offset + limit) };
}

/** @throws ServiceError `InvalidParameterValue.Malformed` for anything but digits */
function parseNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new ServiceError('InvalidParameterValue.Malformed');
  return Number(text);
}

/** @throws ServiceError `InvalidParameterValue.Range` */
function requireInRange(value: number, min: number, max: number): number {
  if (value < min || value > max) throw new ServiceError('InvalidParameterValue.Range');
  return value;
}

function subnetRow(subnet: Subnet) {
  const row = {
    NetworkAclId: '',
    RouteTableId: 'rtb-n0yr460a',
    VpcId: subnet.vpc,
    EnableBroadcast: false,
    Zone: subnet.zone,
    Ipv6CidrBlock: '',
    AvailableIpAddressCount: subnet.available,
    IsRemoteVpcSnat: false,
    SubnetName: subnet.name,
    TotalIpAddressCount: subnet.total,
    IsCdcSubnet: 0,
    CdcId: '',
    TagSet: tagRows(subnet.tags),
    CreatedTime: '2020-05-25 20:09:07',
    SubnetId: subnet.id,
    CidrBlock: subnet.cidr_block,
    IsDefault: subnet.is_default,
  };
  return withOverrides(row, subnet);
}
