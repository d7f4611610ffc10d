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
  // Offset and Limit are texts. Only a page by MaxResults or NextToken has a NextToken in its answer.
  page: (subnets, { text, integer }) => {
    const [offset, limit, token] = ['Offset', 'Limit', 'NextToken'].map(text);
    const most = integer('MaxResults');
    const isByToken = most !== undefined || token !== undefined;
    const isOneKind = !isByToken || (offset === undefined && limit === undefined);
    check(isOneKind, 'InvalidParameter.Coexist');
    const from = parseNumber(token ?? offset ?? '0');
    const count = most ?? parseNumber(limit ?? '20');
    check(count >= 1 && count <= maxLimit, 'InvalidParameterValue.Range');
    const end = from + count;
    const NextToken = end < subnets.length ? String(end) : '';
    return [subnets.slice(from, end), isByToken ? { NextToken } : {}];
  },
});

/** @throws ServiceError `InvalidParameterValue.Malformed` for anything but digits */
function parseNumber(text: string): number {
  check(/^\d{1,9}$/.test(text), 'InvalidParameterValue.Malformed');
  return Number(text);
}
