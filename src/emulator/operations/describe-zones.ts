/** DescribeZones: the zones of a region. The daemon does not call it; other clients find the names of zones with it. */
import { refuseUnknown } from '../protocol/parameters.ts';
import { withOverrides, type Operation } from './operation.ts';

export const describeZones: Operation = (parameters, { account, region }) => {
  refuseUnknown(parameters, []);
  const regionNumber = account.regions.indexOf(region) + 1;
  return {
    TotalCount: region.zones.length,
    ZoneSet: region.zones.map((zone) => {
      const { name, state } = zone;
      // Six digits, as at the service: the number of the region, and of the zone in it.
      const number = regionNumber * 100_000 + Number(name.slice(region.name.length + 1));
      const row = { Zone: name, ZoneName: name, ZoneId: String(number), ZoneState: state };
      return withOverrides(row, zone);
    }),
  };
};
