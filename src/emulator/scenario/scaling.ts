/**
 * The schemas of auto scaling groups, launch configurations and scaling activities, and what follows from them, such
 * as when an activity ends. A field of the service that they do not have can be set in `fields`. `region.ts` has the
 * schemas; `operations/auto-scaling.ts` answers the objects.
 */
import { z } from 'zod';
import { durationText, msOf } from '../../validation/duration.ts';
import { addIssue, anyFields, listOf, matching, rowObject, tags } from './schema-parts.ts';
import {
  activityId,
  count,
  instanceType,
  launchConfigurationId,
  scalingGroupId,
  subnetId,
  zoneName,
} from './vocabulary.ts';

/** The schema of a value such as NORMAL: any one of this form, also one that the documentation does not list. */
const word = matching(/^[A-Z_]+$/, 'a word such as NORMAL');

export const launchConfigurationSchema = rowObject({
  id: launchConfigurationId.describe('such as asc-ouy1ax38'),
  name: z.string().default('configuration').describe('LaunchConfigurationName'),
  instance_types: z
    .array(instanceType)
    .min(1, { error: 'a launch configuration has at least one instance type' })
    .describe('InstanceTypes, the preferred one first'),
  tags: tags.describe('Tags'),
});

/** The fields of a group that the action `set-scaling-group` can change. */
export const groupState = {
  status: word.optional().describe('AutoScalingGroupStatus; NORMAL when absent'),
  enabled: z.boolean().optional().describe('EnabledStatus; false: the group does not scale'),
  min_size: count.optional().describe('MinSize'),
  max_size: count.optional().describe('MaxSize'),
  desired_capacity: count.optional().describe('DesiredCapacity'),
  instances: count.optional().describe('InstanceCount; it may be beyond MaxSize'),
};

export const scalingGroupSchema = rowObject({
  id: scalingGroupId.describe('such as asg-12wjuh0s'),
  name: z.string().default('group').describe('AutoScalingGroupName'),
  launch_configuration: launchConfigurationId.describe('one of the region'),
  ...groupState,
  max_size: count.describe('MaxSize'),
  subnets: listOf(subnetId, 'SubnetIdSet: subnets of the region'),
  zones: listOf(zoneName, 'ZoneSet, of a group without a VPC'),
  tags: tags.describe('Tags'),
}).superRefine(({ min_size: min = 0, max_size: max, desired_capacity: wanted = 0 }, context) => {
  if (min <= wanted && wanted <= max) return;
  addIssue(context, ['desired_capacity'], `must be from min_size, ${min}, to max_size, ${max}`);
});

export const activitySchema = rowObject({
  id: activityId.describe('such as asa-5l2ejpfo'),
  scaling_group: scalingGroupId.describe('a group of the region'),
  type: word.default('SCALE_OUT').describe('ActivityType'),
  status: z
    .enum(['INIT', 'RUNNING', 'SUCCESSFUL', 'PARTIALLY_SUCCESSFUL', 'FAILED', 'CANCELLED'])
    .default('SUCCESSFUL')
    .describe('StatusCode at its end; RUNNING until then'),
  start_time: z.iso.datetime().optional().describe('when it is added, when absent'),
  duration: durationText().default('0s').describe('how long it lasts; INIT and RUNNING never end'),
  refusals: listOf(
    anyFields,
    'DetailedStatusMessageSet at its end, such as [{ Code: LimitExceeded.UserSpotQuota }]',
  ),
});
export type Activity = z.output<typeof activitySchema>;

/**
 * An activity as it is at `nowMs`, with its start and end in milliseconds since the Unix epoch. While it lasts, its end is
 * `Infinity`, and it is RUNNING or INIT without refusals. The state has added a start time that the scenario leaves out.
 */
export function activityAt(activity: Activity, nowMs: number) {
  const { status, start_time: start = '', duration } = activity;
  const startMs = Date.parse(start);
  const endMs = startMs + msOf(duration);
  const isEndless = status === 'INIT' || status === 'RUNNING';
  if (!isEndless && endMs <= nowMs) return { ...activity, startMs, endMs };
  const current = status === 'INIT' ? status : 'RUNNING';
  return { ...activity, status: current, refusals: [], startMs, endMs: Infinity };
}
