/** DescribeZones. Clients use it to find the zones of a region. */
import { refuseUnknown } from '../../protocol/parameters.ts';
import type { Operation } from '../operation.ts';

export const describeZones: Operation = (parameters, { account, region }) => {
  refuseUnknown(parameters, []);
  const zones = [...region.zones.values()];
  const regionNumber = [...account.regions.keys()].indexOf(region.name) + 1;
  return {
    TotalCount: zones.length,
    ZoneSet: zones.map(({ name, state }) => ({
      Zone: name,
      ZoneName: name,
      // Six digits, as at the service: the number of the region, and of the zone in it.
      ZoneId: String(regionNumber * 100_000 + Number(name.slice(region.name.length + 1))),
      ZoneState: state,
    })),
  };
};
