/**
 * DescribeRegions. Clients use it to find the regions of an account. Chosen, because it is not published:
 * a region that is UNAVAILABLE still answers.
 */
import { refuseUnknown } from '../../protocol/parameters.ts';
import type { AccountOperation } from '../operation.ts';

export const describeRegions: AccountOperation = (parameters, { account }) => {
  refuseUnknown(parameters, []);
  const regions = [...account.regions.values()];
  return {
    TotalCount: regions.length,
    RegionSet: regions.map(({ name, state }) => ({
      Region: name,
      RegionName: name,
      RegionState: state,
    })),
  };
};
