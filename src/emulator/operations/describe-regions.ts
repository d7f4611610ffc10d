/**
 * DescribeRegions. Clients use it to find the regions of an account. Chosen, because it is not published:
 * a region that is UNAVAILABLE still answers.
 */
import { refuseUnknown } from '../protocol/parameters.ts';
import { withOverrides, type CallerContext, type Operation } from './operation.ts';

export const describeRegions: Operation<CallerContext> = (parameters, { account: { regions } }) => {
  refuseUnknown(parameters, []);
  return {
    TotalCount: regions.length,
    RegionSet: regions.map(({ name, state, ...overrides }) =>
      withOverrides({ Region: name, RegionName: name, RegionState: state }, overrides),
    ),
  };
};
