/**
 * DescribeRegions and DescribeZones: clients find the regions of an account and the zones of a region with them. Not
 * published, so we chose: a region that is UNAVAILABLE is listed, and still answers.
 */
import { operation, withOverrides, type CallerContext } from './operation.ts';

export const describeRegions = operation(
  () => ({}),
  (_given, { account: { regions } }: CallerContext) => ({
    TotalCount: regions.length,
    RegionSet: regions.map((region) => {
      const { name, state } = region;
      return withOverrides({ Region: name, RegionName: name, RegionState: state }, region);
    }),
  }),
);

export const describeZones = operation(
  () => ({}),
  (_given, { account, region }) => ({
    TotalCount: region.zones.length,
    ZoneSet: region.zones.map((zone) => {
      const { name, state } = zone;
      // Six digits, as at the service: the number of the region, and of the zone in it.
      const number =
        (account.regions.indexOf(region) + 1) * 100_000 +
        Number(name.slice(region.name.length + 1));
      const row = { Zone: name, ZoneName: name, ZoneId: String(number), ZoneState: state };
      return withOverrides(row, zone);
    }),
  }),
);
