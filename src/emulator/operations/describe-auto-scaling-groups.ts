/**
 * DescribeAutoScalingGroups of as (docs/service.md, section 16.5). Not published, so we chose: IDs beside Filters are
 * InvalidParameter.Conflict.
 */
import { activityTimes, type ScalingGroup } from '../scenario/scaling.ts';
import { scalingGroupIdPattern } from '../scenario/vocabulary.ts';
import { tagRows, withOverrides, type Operation, type RegionContext } from './operation.ts';
import { filtersByName, scalingList } from './scaling-list.ts';

export const describeAutoScalingGroups: Operation = (parameters, context) => {
  const { total, page } = scalingList(context.region.scaling_groups, parameters, {
    idsName: 'AutoScalingGroupIds',
    idPattern: scalingGroupIdPattern,
    filters: {
      ...filtersByName('auto-scaling-group'),
      'launch-configuration-id': ({ launch_configuration: id }, value) => id === value,
    },
    tagsOf: ({ tags }) => tags,
    malformedIdCode: 'InvalidParameterValue.InvalidAutoScalingGroupId',
  });
  return { TotalCount: total, AutoScalingGroupSet: page.map((group) => groupRow(group, context)) };
};

function groupRow(group: ScalingGroup, { region, nowMs }: RegionContext) {
  const { id, launch_configuration: configurationId } = group;
  const isInActivity = region.activities
    .filter((activity) => activity.scaling_group === id)
    .map(activityTimes)
    .some(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
  const configuration = region.launch_configurations.find((one) => one.id === configurationId);
  const row = {
    AutoScalingGroupId: id,
    AutoScalingGroupName: group.name,
    AutoScalingGroupStatus: group.status,
    EnabledStatus: group.enabled ? 'ENABLED' : 'DISABLED',
    MinSize: group.min_size,
    MaxSize: group.max_size,
    DesiredCapacity: group.desired_capacity,
    InstanceCount: group.instances,
    InServiceInstanceCount: group.instances,
    LaunchConfigurationId: configurationId,
    LaunchConfigurationName: configuration?.name,
    VpcId: group.subnets.length > 0 ? 'vpc-dcteo7jd' : '',
    SubnetIdSet: group.subnets,
    ZoneSet: group.zones,
    MultiZoneSubnetPolicy: 'PRIORITY',
    InstanceAllocationPolicy: 'LAUNCH_CONFIGURATION',
    SpotMixedAllocationPolicy: null,
    RetryPolicy: 'IMMEDIATE_RETRY',
    InActivityStatus: isInActivity ? 'IN_ACTIVITY' : 'NOT_IN_ACTIVITY',
    Tags: tagRows(group.tags).map((tag) => ({
      ResourceId: id,
      ResourceType: 'auto-scaling-group',
      ...tag,
    })),
    CreatedTime: '2018-11-20T08:33:56Z',
  };
  return withOverrides(row, group);
}
