/** The part `subnet` of a launch: the free addresses of its subnets, of which the one that holds most counts. */
import { bounded, boundedByOne, remainingOf, type LaunchPart } from './part.ts';
import type { Option } from '../options.ts';
import type { RegionFacts } from '../region-facts.ts';

export const subnetPart: LaunchPart<'subnet'> = {
  name: 'subnet',
  operation: 'DescribeSubnets',
  inGroup: 'bounds-zone',
  holds:
    'its free addresses, one for each instance; 0 for a subnet in another zone, for one that is gone, and for one without an IPv6 block if Ipv6AddressCount is above 0. Of several subnets, the one that holds most counts; of a scaling group, all',
  reasons: {
    subnet: {
      remedy:
        'use a larger subnet of the same zone, free addresses, or add an IPv6 block where the version asks for IPv6 addresses. Move the template to a subnet in its zone if they differ.',
      codes: [
        'FailedOperation.NoAvailableIpAddressCountInSubnet',
        'LimitExceeded.VpcSubnetNum',
        'InvalidParameterValue.SubnetIdZoneIdNotMatch',
        'InvalidParameterValue.SubnetNotExist',
      ],
    },
  },
  judge: (option, facts) => {
    const { groupId, subnets } = option;
    const roomIn = (id: string) => heldBySubnet(id, option, facts);
    if (groupId === '' || !subnets?.length) {
      return boundedByOne('most', subnets, roomIn, 'subnet', option);
    }
    // A scaling group starts instances in each subnet.
    const rooms = subnets.map(roomIn);
    const total = rooms.reduce<number>((sum, room) => sum + (room ?? 0), 0);
    return { ...bounded(rooms.includes(null) ? null : total, 'subnet', option), shares: subnets };
  },
  text: ({ shares: [id = ''] }, _launch, room, { say, word }) =>
    say('{what}: {room address|addresses}', { what: id || word('subnet'), room }),
};

/** For how many instances the addresses of a subnet suffice; 0 if it cannot serve the launch, `null` while unknown. */
function heldBySubnet(
  id: string,
  { ipv6Count, zone }: Option,
  { quotas, subnets }: RegionFacts,
): number | null {
  const subnet = subnets.get(id);
  const free = remainingOf(subnet, 'subnet_id', quotas);
  if (subnet === undefined || free === null) return null;
  const isElsewhere = zone !== null && zone !== '' && zone !== subnet.zone;
  const lacksIpv6 = ipv6Count !== null && ipv6Count > 0 && subnet.hasIpv6 === false;
  if (free === 0 || isElsewhere || lacksIpv6) return 0;
  const isCertain = zone !== null && (ipv6Count === 0 || subnet.hasIpv6 === true);
  return isCertain ? free : null;
}
