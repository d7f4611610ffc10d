/**
 * The operations of as: DescribeAutoScalingGroups, DescribeLaunchConfigurations and DescribeAutoScalingActivities
 * (docs/service.md, section 16.5). Not published, so we chose: the codes for more than 100 IDs. Of activities, the bounds
 * StartTime and EndTime belong to the window, a malformed one is InvalidParameterValue, one that has not ended is left
 * out with EndTime, and the newest is the first.
 */
import { check } from '../protocol/service-error.ts';
import { activityAt } from '../scenario/scaling.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import { activityId, launchConfigurationId, scalingGroupId } from '../scenario/vocabulary.ts';
import { listOperation } from './list.ts';
import { tagRows } from './operation.ts';

export const describeAutoScalingGroups = listOperation('DescribeAutoScalingGroups', {
  id: scalingGroupId,
  rowsOf: ({ region }) => region.scaling_groups,
  computed: (group, { region, nowMs }) => {
    const { id, launch_configuration: configurationId } = group;
    const isActive = region.activities
      .filter((activity) => activity.scaling_group === id)
      .map((activity) => activityAt(activity, nowMs))
      .some(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
    return {
      EnabledStatus: group.enabled === false ? 'DISABLED' : 'ENABLED',
      LaunchConfigurationName: region.launch_configurations.find(
        (configuration) => configuration.id === configurationId,
      )?.name,
      VpcId: region.subnets.find((subnet) => group.subnets.includes(subnet.id))?.vpc ?? '',
      InActivityStatus: isActive ? 'IN_ACTIVITY' : 'NOT_IN_ACTIVITY',
      Tags: tagRows(group.tags, { ResourceId: id, ResourceType: 'auto-scaling-group' }),
    };
  },
});

export const describeLaunchConfigurations = listOperation('DescribeLaunchConfigurations', {
  id: launchConfigurationId,
  rowsOf: ({ region }) => region.launch_configurations,
  computed: ({ instance_types: types, tags }) => ({ InstanceType: types[0], Tags: tagRows(tags) }),
});

export const describeAutoScalingActivities = listOperation('DescribeAutoScalingActivities', {
  id: activityId,
  rowsOf: ({ region, nowMs }, { text }) => {
    const earliestMs = timeOf(text('StartTime')) ?? -Infinity;
    const latestMs = timeOf(text('EndTime')) ?? Infinity;
    // Reversed: of two with the same start, the one that was added later comes first.
    return region.activities
      .map((activity) => activityAt(activity, nowMs))
      .filter(({ startMs, endMs }) => startMs >= earliestMs && endMs <= latestMs)
      .toReversed()
      .toSorted((a, b) => b.startMs - a.startMs);
  },
  computed: ({ startMs, endMs }) => ({
    CreatedTime: isoSeconds(startMs),
    StartTime: isoSeconds(startMs),
    EndTime: endMs === Infinity ? null : isoSeconds(endMs),
  }),
});

/**
 * A parameter such as `2018-11-20T08:33:56Z`, in milliseconds since the Unix epoch. `undefined` when it is absent.
 *
 * @throws ServiceError `InvalidParameterValue` for another form
 */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : NaN;
  check(!Number.isNaN(ms), 'InvalidParameterValue');
  return ms;
}
