/**
 * The schemas of auto scaling groups, launch configurations and scaling activities, and what follows from them, such
 * as when an activity ends. What they leave out is written to `fields`, in the words of the service.
 */
import { z } from 'zod';
import { durationText, msOf } from '../../validation/duration.ts';
import { addIssue, anyFields, isoSeconds, matching, rowOverrides } from './schema-parts.ts';
import {
  activityId,
  count,
  instanceType,
  launchConfigurationId,
  scalingGroupId,
  subnetId,
  zoneName,
} from './vocabulary.ts';

/** A value of the service, also one that it does not list. */
const word = matching(/^[A-Z_]+$/, 'a word such as NORMAL');

const tags = z.record(z.string(), z.string()).default({}).describe('Tags');

export const launchConfigurationSchema = z.strictObject({
  id: launchConfigurationId.describe('such as asc-ouy1ax38'),
  name: z.string().default('configuration').describe('LaunchConfigurationName'),
  instance_types: z
    .array(instanceType)
    .min(1, { error: 'a launch configuration has at least one instance type' })
    .describe('InstanceTypes, the preferred one first'),
  tags,
  ...rowOverrides,
});
export type LaunchConfiguration = z.output<typeof launchConfigurationSchema>;

/** The fields of a scaling group that `set-scaling-group` changes. */
const groupState = z.object({
  status: word.describe('AutoScalingGroupStatus, such as SUBNET_ABNORMAL'),
  enabled: z.boolean().describe('EnabledStatus; a disabled group does not scale'),
  min_size: count.describe('MinSize'),
  max_size: count.describe('MaxSize'),
  desired_capacity: count.describe('DesiredCapacity'),
  instances: count.describe('InstanceCount; it may be beyond MaxSize'),
});
/** The same fields, of which those that are absent stay as they are. */
export const groupChange = groupState.partial().shape;

export const scalingGroupSchema = z
  .strictObject({
    id: scalingGroupId.describe('such as asg-12wjuh0s'),
    name: z.string().default('group').describe('AutoScalingGroupName'),
    launch_configuration: launchConfigurationId.describe('one of the region'),
    ...groupState.shape,
    status: groupState.shape.status.default('NORMAL'),
    enabled: groupState.shape.enabled.default(true),
    min_size: groupState.shape.min_size.default(0),
    desired_capacity: groupState.shape.desired_capacity.default(0),
    instances: groupState.shape.instances.default(0),
    subnets: z.array(subnetId).default([]).describe('SubnetIdSet: subnets of the region'),
    zones: z.array(zoneName).default([]).describe('ZoneSet, of a group without a VPC'),
    tags,
    ...rowOverrides,
  })
  .superRefine((group, context) => {
    const problem = sizeProblem(group);
    if (problem !== null) addIssue(context, ['desired_capacity'], problem);
  });
export type ScalingGroup = z.output<typeof scalingGroupSchema>;

/** Why a group cannot have its desired capacity. `null` when it can. */
export function sizeProblem({
  min_size: min,
  max_size: max,
  desired_capacity: wanted,
}: ScalingGroup) {
  return min <= wanted && wanted <= max
    ? null
    : `must be from min_size, ${min}, to max_size, ${max}`;
}

/** The fields of an activity that `add-activity` has too. */
export const activityContent = {
  type: word.default('SCALE_OUT').describe('ActivityType'),
  status: z
    .enum(['INIT', 'RUNNING', 'SUCCESSFUL', 'PARTIALLY_SUCCESSFUL', 'FAILED', 'CANCELLED'])
    .default('SUCCESSFUL')
    .describe('StatusCode at its end; RUNNING until then'),
  start_time: z.iso.datetime().optional().describe('when it is added, when absent'),
  duration: durationText().default('0s').describe('how long it lasts; INIT and RUNNING never end'),
  refusals: z
    .array(anyFields)
    .default([])
    .describe(
      'DetailedStatusMessageSet at its end, such as [{ Code: LimitExceeded.UserSpotQuota }]',
    ),
  ...rowOverrides,
};

export const activitySchema = z.strictObject({
  id: activityId.describe('such as asa-5l2ejpfo'),
  scaling_group: scalingGroupId.describe('a group of the region'),
  ...activityContent,
});
export type Activity = z.output<typeof activitySchema>;

/** Adds the start that the scenario does not say. `atMs` is in milliseconds since the Unix epoch. */
export function withStartTime(activity: Activity, atMs: number): Activity {
  return { start_time: isoSeconds(atMs), ...activity };
}

/** When an activity of the state begins and ends, in milliseconds since the Unix epoch: `Infinity` for never. */
export function activityTimes({ status, start_time: start = '', duration }: Activity) {
  const startMs = Date.parse(start);
  const isOpen = status === 'INIT' || status === 'RUNNING';
  return { startMs, endMs: isOpen ? Infinity : startMs + msOf(duration) };
}
