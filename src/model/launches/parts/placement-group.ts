/** The part `placement group` of a launch: how many more instances its placement groups take. Each must take them all. */
import { boundedByOne, remainingOf, type LaunchPart } from './part.ts';

export const placementGroupPart: LaunchPart<'placement-group'> = {
  name: 'placement group',
  operation: 'DescribeDisasterRecoverGroups',
  holds:
    'CvmQuotaTotal less CurrentNum of its group; 0 if the group is gone. A group with room may still lack another machine, switch or rack',
  reasons: {
    'placement-group': {
      remedy: 'use another placement group, or none.',
      codes: [
        'LimitExceeded.DisasterRecoverGroup',
        'ResourceInsufficient.DisasterRecoverGroupCvmQuota',
      ],
    },
  },
  judge: (option, { placementGroups, quotas }) => {
    const roomIn = (id: string) =>
      remainingOf(placementGroups.get(id), 'placement_group_id', quotas);
    return boundedByOne('least', option.placementGroups, roomIn, 'placement-group', option);
  },
  text: ({ shares: [id = ''] }, _option, room, { say, word }) =>
    say('{what}: {room instance|instances}', { what: id || word('placement group'), room }),
};
