/**
 * DescribeRegions. Clients use it to find the regions of an account. Not published, so we chose: a region
 * that is UNAVAILABLE is listed, and still answers.
 */
import { refuseUnknown } from '../protocol/parameters.ts';
import { withOverrides, type CallerContext, type Operation } from './operation.ts';

export const describeRegions: Operation<CallerContext> = (parameters, { account: { regions } }) => {
  refuseUnknown(parameters, []);
  return {
    TotalCount: regions.length,
    RegionSet: regions.map((region) => {
      const { name, state } = region;
      return withOverrides({ Region: name, RegionName: name, RegionState: state }, region);
    }),
  };
};
