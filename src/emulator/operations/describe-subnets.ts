/**
 * DescribeSubnets of vpc (docs/service.md, section 16.2). Not published, so we chose: an unknown ID is refused with
 * ResourceNotFound, a filter has at most 100 values, and NextToken is the offset of the next page, empty at the end.
 */
import { check } from '../protocol/service-error.ts';
import { subnetId } from '../scenario/vocabulary.ts';
import { listOperation } from './list.ts';
import { tagRows, maxLimit } from './operation.ts';

export const describeSubnets = listOperation('DescribeSubnets', {
  id: subnetId,
  rowsOf: ({ region }) => region.subnets,
  computed: ({ tags }) => ({ TagSet: tagRows(tags) }),
  // A page by Offset and Limit, which are texts, or by NextToken and MaxResults. Only the latter has a NextToken.
  page: (subnets, { text, integer }) => {
    const [offset, limit, token] = ['Offset', 'Limit', 'NextToken'].map(text);
    const maxResults = integer('MaxResults');
    const isByToken = maxResults !== undefined || token !== undefined;
    const isOneKind = !isByToken || (offset === undefined && limit === undefined);
    check(isOneKind, 'InvalidParameter.Coexist');
    const begin = parseNumber(token ?? offset ?? '0');
    const count = maxResults ?? parseNumber(limit ?? '20');
    check(count >= 1 && count <= maxLimit, 'InvalidParameterValue.Range');
    const end = begin + count;
    const NextToken = end < subnets.length ? String(end) : '';
    return [subnets.slice(begin, end), isByToken ? { NextToken } : {}];
  },
});

/** @throws ServiceError `InvalidParameterValue.Malformed` for anything but digits */
function parseNumber(text: string): number {
  check(/^\d{1,9}$/.test(text), 'InvalidParameterValue.Malformed');
  return Number(text);
}
