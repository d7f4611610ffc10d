/** The placement group that the instances get into. */
import { bounded, unknown, type LaunchPart } from './part.ts';
import type { RegionFacts } from '../launch.ts';
import words from './words.json' with { type: 'json' };

export const placementGroupPart: LaunchPart<'placement-group'> = {
  name: 'placement group',
  operation: 'DescribeDisasterRecoverGroups',
  ...words.placementGroup,
  judge: (option, facts) => {
    const { placementGroups: ids } = option;
    if (ids === null) return unknown;
    if (ids.length === 0) return null;
    const held = ids.flatMap((id) => {
      const holds = heldByGroup(id, facts);
      return holds === null ? [] : [{ id, holds }];
    });
    const [least] = held.toSorted((a, b) => a.holds - b.holds);
    const verdict = bounded(least?.holds ?? null, 'placement-group', option);
    if (!verdict.isKnown) return verdict;
    // One that is unknown may hold less.
    const isCertain = verdict.reason !== null || held.length === ids.length;
    return isCertain ? { ...verdict, shares: least?.id ?? null } : unknown;
  },
  text: ({ roomFor, shares }, _option, room, { say, word }) => {
    const what = shares ?? word('placement group');
    return say(roomFor === 1 ? '{what}: {room} instance' : '{what}: {room} instances', {
      what,
      room,
    });
  },
};

/** How many more instances a group takes; `null` while it is unknown. */
function heldByGroup(id: string, { placementGroups, quotas }: RegionFacts): number | null {
  const group = placementGroups.get(id);
  if (group?.isPresent !== true) return null;
  if (group.isGone) return 0;
  const quota = quotas.find(({ labels }) => labels?.['placement_group_id'] === id);
  return group.isKnown && quota ? Math.max(0, quota.remaining ?? 0) : null;
}
