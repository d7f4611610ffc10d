/**
 * DescribeDisasterRecoverGroups: the placement groups of a region (docs/service.md, section 16.5). Not published, so we
 * chose: an unknown ID is left out, and IDs, Name and Filters may stand together. InstanceIds is empty.
 */
import { filtersOf, refuseUnknown, stringOf, stringsOf } from '../protocol/parameters.ts';
import { ServiceError, unknownFilterError } from '../protocol/service-error.ts';
import type { PlacementGroup } from '../scenario/region.ts';
import { placementGroupIdPattern } from '../scenario/vocabulary.ts';
import { pageOf, tagRows, tagTest, withOverrides, type Operation } from './operation.ts';

const maxIds = 10;
const limitCode = 'InvalidParameterValue.LimitExceeded';

export const describeDisasterRecoverGroups: Operation = (parameters, { region }) => {
  refuseUnknown(parameters, ['DisasterRecoverGroupIds', 'Name', 'Filters', 'Offset', 'Limit']);
  const ids = stringsOf(parameters, 'DisasterRecoverGroupIds');
  const name = stringOf(parameters, 'Name') ?? '';
  if (ids !== null && ids.length > maxIds) throw new ServiceError(limitCode);
  if (!(ids ?? []).every((id) => placementGroupIdPattern.test(id))) {
    throw new ServiceError('InvalidParameterValue.DisasterRecoverGroupIdMalformed');
  }
  let groups = region.placement_groups
    .filter(({ id }) => ids === null || ids.includes(id))
    .filter((group) => group.name.includes(name));
  for (const filter of filtersOf(parameters)) {
    const hasTag = tagTest(filter);
    if (hasTag === null) throw unknownFilterError(filter.name);
    groups = groups.filter(({ tags }) => hasTag(tags));
  }
  return {
    TotalCount: groups.length,
    DisasterRecoverGroupSet: pageOf(groups, parameters, limitCode).map(groupRow),
  };
};

function groupRow(group: PlacementGroup) {
  const row = {
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
  };
  return withOverrides(row, group);
}
