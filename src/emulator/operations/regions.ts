/**
 * DescribeRegions and DescribeZones: clients find the regions of an account and the zones of a region with them. Not
 * published, so we chose: a region that is UNAVAILABLE is listed, and still answers.
 */
import { withOverrides, withoutParameters, type CallerContext } from './operation.ts';

export const describeRegions = withoutParameters(({ account: { regions } }: CallerContext) => {
  const rows = regions.map((region) => {
    const { name, state } = region;
    return withOverrides({ Region: name, RegionName: name, RegionState: state }, region);
  });
  return { TotalCount: rows.length, RegionSet: rows };
});

export const describeZones = withoutParameters(({ account, region }) => {
  const regionNumber = account.regions.indexOf(region) + 1;
  const rows = region.zones.map((zone) => {
    const { name, state } = zone;
    // Six digits, as at the service: the number of the region, and of the zone in it.
    const number = regionNumber * 100_000 + Number(name.slice(region.name.length + 1));
    const row = { Zone: name, ZoneName: name, ZoneId: String(number), ZoneState: state };
    return withOverrides(row, zone);
  });
  return { TotalCount: rows.length, ZoneSet: rows };
});
