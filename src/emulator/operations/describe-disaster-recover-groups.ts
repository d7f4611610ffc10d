/**
 * DescribeDisasterRecoverGroups: the placement groups of a region (docs/service.md, section 16.5). Not published, so we
 * chose: IDs, Name and Filters may stand together. InstanceIds is empty.
 */
import { stringOf } from '../protocol/parameters.ts';
import type { PlacementGroup } from '../scenario/region.ts';
import { placementGroupId } from '../scenario/vocabulary.ts';
import { listOperation } from './list.ts';
import { tagRows } from './operation.ts';

export const describeDisasterRecoverGroups = listOperation<PlacementGroup>({
  rowsOf: ({ region }, parameters) => {
    const wanted = stringOf(parameters, 'Name') ?? '';
    return region.placement_groups.filter(({ name }) => name.includes(wanted));
  },
  setName: 'DisasterRecoverGroupSet',
  pageCode: 'InvalidParameterValue.LimitExceeded',
  idsName: 'DisasterRecoverGroupIds',
  id: placementGroupId,
  maxIds: 10,
  more: ['Name'],
  malformedIdCode: 'InvalidParameterValue.DisasterRecoverGroupIdMalformed',
  answerRow: (group) => ({
    DisasterRecoverGroupId: group.id,
    Name: group.name,
    Type: group.type,
    Strategy: 'SPREAD',
    CvmQuotaTotal: group.limit,
    CurrentNum: group.used,
    InstanceIds: [],
    Affinity: 1,
    PartitionCount: null,
    CreateTime: '2020-05-25T20:09:07Z',
    Tags: tagRows(group.tags),
  }),
});
