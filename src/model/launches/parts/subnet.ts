/** The addresses of the subnets, of which the one that holds most counts. */
import { bounded, unknown, type LaunchPart } from './part.ts';
import type { RegionFacts } from '../launch.ts';
import type { Option } from '../options.ts';
import words from './words.json' with { type: 'json' };

export const subnetPart: LaunchPart<'subnet'> = {
  name: 'subnet',
  operation: 'DescribeSubnets',
  inGroup: 'bounds-zone',
  ...words.subnet,
  judge: (option, facts) => {
    const { subnets } = option;
    if (subnets === null) return unknown;
    if (subnets.length === 0) return null;
    const held = subnets.flatMap((id) => {
      const holds = heldBySubnet(id, option, facts);
      return holds === null ? [] : [{ id, holds }];
    });
    // A scaling group starts instances in each.
    if (option.groupId !== '') {
      const all = held.reduce((sum, { holds }) => sum + holds, 0);
      const verdict = bounded(held.length === subnets.length ? all : null, 'subnet', option);
      return { ...verdict, groupShares: subnets };
    }
    const [most] = held.toSorted((a, b) => b.holds - a.holds);
    const verdict = bounded(most?.holds ?? null, 'subnet', option);
    if (!verdict.isKnown) return verdict;
    // One that is unknown may hold enough.
    const isCertain = verdict.reason === null || held.length === subnets.length;
    return isCertain ? { ...verdict, shares: most?.id ?? null } : unknown;
  },
  text: ({ roomFor, shares }, _launch, room, { say, word }) => {
    const what = shares ?? word('subnet');
    return say(roomFor === 1 ? '{what}: {room} address' : '{what}: {room} addresses', {
      what,
      room,
    });
  },
};

/** How many instances the addresses of a subnet suffice for; `null` while it is unknown. */
function heldBySubnet(
  id: string,
  { ipv6Count, zone }: Option,
  { quotas, subnets }: RegionFacts,
): number | null {
  const subnet = subnets.get(id);
  if (subnet?.isPresent !== true) return null;
  if (subnet.isGone) return 0;
  if (!subnet.isKnown) return null;
  const free = quotas.find(({ labels }) => labels?.['subnet_id'] === id)?.remaining ?? null;
  const isElsewhere = zone !== null && zone !== '' && zone !== subnet.zone;
  const lacksIpv6 = ipv6Count !== null && ipv6Count > 0 && subnet.hasIpv6 === false;
  if (free === 0 || isElsewhere || lacksIpv6) return 0;
  const isCertain = zone !== null && (ipv6Count === 0 || subnet.hasIpv6 === true);
  return isCertain ? free : null;
}
