/**
 * DescribeDisasterRecoverGroups: the placement groups of a region (docs/service.md, section 16.5). Not published, so we
 * chose: IDs, Name and Filters may stand together, and a part of the name is enough for Name. InstanceIds is empty.
 */
import { placementGroupId } from '../scenario/vocabulary.ts';
import { listOperation } from './list.ts';
import { tagRows } from './operation.ts';

export const describeDisasterRecoverGroups = listOperation('DescribeDisasterRecoverGroups', {
  id: placementGroupId,
  rowsOf: ({ region }, { text }) =>
    region.placement_groups.filter(({ name }) => name.includes(text('Name') ?? '')),
  computed: ({ tags }) => ({ Tags: tagRows(tags) }),
});
