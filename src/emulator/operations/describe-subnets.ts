/**
 * DescribeSubnets of vpc (docs/service.md, section 16.2). Not published, so we chose: an unknown ID is refused with
 * ResourceNotFound (`unknown_subnets` of the behaviour leaves it out), a filter has at most 100 values, and
 * NextToken is the offset of the next page, empty at the end.
 */
import {
  integerOf,
  isGiven,
  stringOf,
  stringsOf,
  type Parameters,
} from '../protocol/parameters.ts';
import { check, ServiceError } from '../protocol/service-error.ts';
import type { Subnet } from '../scenario/region.ts';
import { subnetId } from '../scenario/vocabulary.ts';
import { selectRows } from './list.ts';
import { tagRows, maxLimit, withOverrides, type Operation } from './operation.ts';

export const describeSubnets: Operation = (parameters, { region, behaviour }) => {
  const isEmpty = stringsOf(parameters, 'SubnetIds')?.includes('') ?? false;
  const subnets = selectRows(region.subnets, parameters, {
    idsName: 'SubnetIds',
    id: subnetId,
    more: ['MaxResults', 'NextToken'],
    malformedIdCode: `InvalidParameterValue.${isEmpty ? 'Empty' : 'Malformed'}`,
    unknownIdCode: behaviour.unknown_subnets === 'refused' ? 'ResourceNotFound' : undefined,
    conflictCode: 'InvalidParameter.Coexist',
    filterRules: {
      maxValues: 100,
      tooManyCode: 'InvalidParameterValue.LimitExceeded',
      incompleteCode: 'InvalidParameter.FilterNotDict',
      notListCode: 'InvalidParameter.FilterValuesNotList',
      unknownCode: 'InvalidParameter.FilterInvalidKey',
    },
    filters: {
      'vpc-id': ({ vpc }) => vpc,
      'subnet-id': ({ id }) => id,
      zone: ({ zone }) => zone,
      'subnet-name': ({ name }) => name,
      'cidr-block': ({ cidr_block: block }) => block,
      'is-default': ({ is_default: isDefault }) => String(isDefault),
    },
  });
  const { rows, ...nextToken } = pageAndToken(subnets, parameters);
  return { SubnetSet: rows.map(subnetRow), TotalCount: subnets.length, ...nextToken };
};

/** A page by Offset and Limit, or by MaxResults and NextToken. Only the second has a NextToken in its answer. */
function pageAndToken(subnets: readonly Subnet[], parameters: Parameters) {
  if (isGiven(parameters, 'MaxResults') || isGiven(parameters, 'NextToken')) {
    const isBoth = isGiven(parameters, 'Offset') || isGiven(parameters, 'Limit');
    check(!isBoth, 'InvalidParameter.Coexist');
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
