/** The placement group that the instances get into. */
import { boundedByOne, remainingOf, type LaunchPart } from './part.ts';
import words from './words.json' with { type: 'json' };

export const placementGroupPart: LaunchPart<'placement-group'> = {
  name: 'placement group',
  operation: 'DescribeDisasterRecoverGroups',
  ...words.placementGroup,
  judge: (option, { placementGroups, quotas }) => {
    const heldBy = (id: string) => {
      const remaining = remainingOf(placementGroups.get(id), 'placement_group_id', id, quotas);
      return remaining && Math.max(0, remaining);
    };
    return boundedByOne('least', option.placementGroups, heldBy, 'placement-group', option);
  },
  text: ({ roomFor, shares }, _option, room, { say, word }) => {
    const what = shares ?? word('placement group');
    return say(roomFor === 1 ? '{what}: {room} instance' : '{what}: {room} instances', {
      what,
      room,
    });
  },
};
