/**
 * The operations of as: DescribeAutoScalingGroups, DescribeLaunchConfigurations and DescribeAutoScalingActivities
 * (docs/service.md, section 16.5). Not published, so we chose: the codes for more than 100 IDs. Of activities, the bounds
 * StartTime and EndTime belong to the window, a malformed one is InvalidParameterValue, one that has not ended is left
 * out with EndTime, and the newest is the first.
 */
import { stringOf, type Parameters } from '../protocol/parameters.ts';
import { ServiceError } from '../protocol/service-error.ts';
import {
  activityAt,
  type ActivityNow,
  type LaunchConfiguration,
  type ScalingGroup,
} from '../scenario/scaling.ts';
import { isoSeconds } from '../scenario/schema-parts.ts';
import { activityId, launchConfigurationId, scalingGroupId } from '../scenario/vocabulary.ts';
import { listOperation } from './list.ts';
import { tagRows } from './operation.ts';

const conflictCode = 'InvalidParameter.Conflict';
const pageCode = 'InvalidParameterValue.LimitExceeded';
const filterRules = {
  tooManyCode: 'LimitExceeded.FilterValuesTooLong',
  incompleteCode: 'InvalidParameterValue.Filter',
  notListCode: 'InvalidParameterValue.Filter',
  unknownCode: 'InvalidParameterValue.InvalidFilter',
};

export const describeAutoScalingGroups = listOperation<ScalingGroup>({
  rowsOf: ({ region }) => region.scaling_groups,
  setName: 'AutoScalingGroupSet',
  pageCode,
  idsName: 'AutoScalingGroupIds',
  id: scalingGroupId,
  malformedIdCode: 'InvalidParameterValue.InvalidAutoScalingGroupId',
  conflictCode,
  filterRules,
  filters: {
    'auto-scaling-group-id': ({ id }) => id,
    'auto-scaling-group-name': ({ name }) => name,
    'vague-auto-scaling-group-name': ({ name }) => name,
    'launch-configuration-id': ({ launch_configuration: id }) => id,
  },
  answerRow: (group, { region, nowMs }) => ({
    AutoScalingGroupId: group.id,
    AutoScalingGroupName: group.name,
    AutoScalingGroupStatus: group.status ?? 'NORMAL',
    EnabledStatus: group.enabled === false ? 'DISABLED' : 'ENABLED',
    MinSize: group.min_size ?? 0,
    MaxSize: group.max_size,
    DesiredCapacity: group.desired_capacity ?? 0,
    InstanceCount: group.instances ?? 0,
    InServiceInstanceCount: group.instances ?? 0,
    LaunchConfigurationId: group.launch_configuration,
    LaunchConfigurationName: region.launch_configurations.find(
      ({ id }) => id === group.launch_configuration,
    )?.name,
    VpcId: group.subnets.length > 0 ? 'vpc-dcteo7jd' : '',
    SubnetIdSet: group.subnets,
    ZoneSet: group.zones,
    MultiZoneSubnetPolicy: 'PRIORITY',
    InstanceAllocationPolicy: 'LAUNCH_CONFIGURATION',
    SpotMixedAllocationPolicy: null,
    RetryPolicy: 'IMMEDIATE_RETRY',
    InActivityStatus: region.activities
      .filter((activity) => activity.scaling_group === group.id)
      .map((activity) => activityAt(activity, nowMs))
      .some(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs)
      ? 'IN_ACTIVITY'
      : 'NOT_IN_ACTIVITY',
    Tags: tagRows(group.tags, { ResourceId: group.id, ResourceType: 'auto-scaling-group' }),
    CreatedTime: '2018-11-20T08:33:56Z',
  }),
});

export const describeLaunchConfigurations = listOperation<LaunchConfiguration>({
  rowsOf: ({ region }) => region.launch_configurations,
  setName: 'LaunchConfigurationSet',
  idsName: 'LaunchConfigurationIds',
  id: launchConfigurationId,
  malformedIdCode: 'InvalidParameterValue.InvalidLaunchConfigurationId',
  tooManyIdsCode: 'InvalidParameterValue.TooLong',
  conflictCode: 'InvalidParameterConflict',
  filterRules: {
    ...filterRules,
    incompleteCode: filterRules.unknownCode,
    notListCode: filterRules.unknownCode,
  },
  filters: {
    'launch-configuration-id': ({ id }) => id,
    'launch-configuration-name': ({ name }) => name,
    'vague-launch-configuration-name': ({ name }) => name,
  },
  // A complete example, with what the scenario says of the configuration.
  answerRow: (configuration) => ({
    LaunchConfigurationId: configuration.id,
    LaunchConfigurationName: configuration.name,
    LaunchConfigurationStatus: 'NORMAL',
    InstanceType: configuration.instance_types[0],
    InstanceTypes: configuration.instance_types,
    InstanceChargeType: 'POSTPAID_BY_HOUR',
    ImageId: 'img-8toqc6s3',
    ImageFamily: null,
    SystemDisk: { DiskType: 'CLOUD_PREMIUM', DiskSize: 50 },
    DataDisks: [],
    DiskTypePolicy: 'ORIGINAL',
    DisasterRecoverGroupIds: [],
    SecurityGroupIds: ['sg-rf6ogz49'],
    VersionNumber: 1,
    UserData: '',
    Tags: tagRows(configuration.tags),
    UpdatedTime: '2018-11-20T08:33:56Z',
  }),
});

export const describeAutoScalingActivities = listOperation<ActivityNow>({
  rowsOf: ({ region, nowMs }, parameters) => {
    const earliestMs = timeOf(parameters, 'StartTime') ?? -Infinity;
    const latestMs = timeOf(parameters, 'EndTime') ?? Infinity;
    return region.activities
      .map((activity) => activityAt(activity, nowMs))
      .filter(({ startMs, endMs }) => startMs >= earliestMs && endMs <= latestMs)
      .toReversed()
      .toSorted((a, b) => b.startMs - a.startMs);
  },
  setName: 'ActivitySet',
  pageCode,
  idsName: 'ActivityIds',
  id: activityId,
  malformedIdCode: 'InvalidParameterValue.InvalidActivityId',
  more: ['StartTime', 'EndTime'],
  conflictCode,
  filterRules,
  filters: {
    'auto-scaling-group-id': ({ scaling_group: id }) => id,
    'activity-status-code': ({ status }) => status,
    'activity-type': ({ type }) => type,
    'activity-id': ({ id }) => id,
  },
  isUntagged: true,
  answerRow: (activity) => ({
    ActivityId: activity.id,
    AutoScalingGroupId: activity.scaling_group,
    ActivityType: activity.type,
    StatusCode: activity.status,
    StatusMessage: '',
    StatusMessageSimplified: '',
    Cause: '',
    Description: '',
    CreatedTime: isoSeconds(activity.startMs),
    StartTime: isoSeconds(activity.startMs),
    EndTime: activity.endMs === Infinity ? null : isoSeconds(activity.endMs),
    DetailedStatusMessageSet: activity.refusals,
  }),
});

/**
 * A parameter such as `2018-11-20T08:33:56Z`, in milliseconds since the Unix epoch. `null` when it is absent.
 *
 * @throws ServiceError `InvalidParameterValue` for another form
 */
function timeOf(parameters: Parameters, name: string): number | null {
  const text = stringOf(parameters, name);
  if (text === null) return null;
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) throw new ServiceError('InvalidParameterValue');
  return ms;
}
