/** The part `placement group` of a launch: how many more instances its placement group takes. */
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
    const heldBy = (id: string) =>
      remainingOf(placementGroups.get(id), 'placement_group_id', quotas);
    return boundedByOne('least', option.placementGroups, heldBy, 'placement-group', option);
  },
  text: ({ shares: [what = ''] }, _option, room, { say, word }) =>
    say('{what}: {room instance|instances}', { what: what || word('placement group'), room }),
};
