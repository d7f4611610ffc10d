/**
 * The schemas of the actions on the state, for code, for the control API and for entries of the timeline.
 * `state/apply-action.ts` carries them out.
 */
import { z } from 'zod';
import { diskSchema, zoneSchema } from './region.ts';
import { activitySchema, groupState } from './scaling.ts';
import { templateSchema, versionSchema } from './template.ts';
import { durationText } from '../../validation/duration.ts';
import {
  activityId,
  chargeTypes,
  count,
  diskTypes,
  instanceType,
  placementGroupId,
  quotaTypes,
  regionName,
  scalingGroupId,
  stockLevels,
  subnetId,
  templateId,
  versionNumber,
  zoneName,
} from './vocabulary.ts';

const ofAccount = {
  account: z.string().optional().describe('the first account when absent'),
};
const inRegion = { ...ofAccount, region: regionName.describe('a region of the account') };
const ofQuota = {
  ...inRegion,
  zone: zoneName.optional().describe('of postpaid, prepaid and spotpaid, and only of these'),
  quota_type: z.enum(quotaTypes).describe('which quota'),
};
const ofTemplate = { ...inRegion, template_id: templateId.describe('such as lt-b8v1kcyq') };
const ofScalingGroup = {
  ...inRegion,
  scaling_group_id: scalingGroupId.describe('such as asg-12wjuh0s'),
};
const ofVersion = {
  ...ofTemplate,
  version: z
    .union([versionNumber, z.literal('latest')])
    .describe('a number, or `latest` for the highest one'),
};

// The content of an object: the fields of its schema without those that say which object it is. An action that makes or
// changes the object has its content, and says which object by fields of its own, such as `template_id`.
const { omit: _omit, fields: _fields, type: _type, ...diskContent } = diskSchema.shape;
const { id: _activityId, scaling_group: _group, ...activityContent } = activitySchema.shape;
const { version: _version, ...versionContent } = versionSchema.shape;
const { id: _templateId, ...templateContent } = templateSchema.shape;
const { postpaid, prepaid, spotpaid, instance_types } = zoneSchema.shape;
const zoneContent = { postpaid, prepaid, spotpaid, instance_types };

/**
 * The schema of all actions. The field `do` says which one it is.
 *
 * @param more fields that every action gets besides its own
 */
function actionsWith<More extends z.ZodRawShape>(more: More) {
  const action = <Name extends string, Fields extends z.ZodRawShape>(
    name: Name,
    does: string,
    fields: Fields,
  ) => z.strictObject({ do: z.literal(name).describe(does), ...fields, ...more });
  return z.discriminatedUnion('do', [
    action('set-used', 'changes how much of a quota is used', {
      ...ofQuota,
      used: count.describe('how much is used from then on'),
    }),
    action('set-limit', 'raises or lowers the limit of a quota', {
      ...ofQuota,
      limit: count.describe('how much may be used from then on'),
    }),
    action('set-stock', 'changes the stock of an instance type', {
      ...inRegion,
      zone: zoneName.optional().describe('every zone that sells the type, when absent'),
      instance_type: instanceType.describe('such as S5.LARGE8'),
      charge_type: z.enum(chargeTypes).optional().describe('every charge type when absent'),
      stock: z.enum(stockLevels).describe('WithoutStock is sold out'),
    }),
    action('set-subnet', 'changes the addresses of a subnet', {
      ...inRegion,
      subnet_id: subnetId.describe('such as subnet-bthucmmy'),
      available: count.optional().describe('how many addresses are free from then on'),
      total: count.optional().describe('how many addresses there are from then on'),
    }),
    action('set-disk', 'changes whether disks can be had', {
      ...inRegion,
      disk_type: z.enum(diskTypes).describe('such as CLOUD_PREMIUM'),
      ...diskContent,
    }),
    action('set-placement-group', 'changes how full a placement group is', {
      ...inRegion,
      placement_group_id: placementGroupId.describe('such as ps-1y147q03'),
      used: count.optional().describe('how many instances it has from then on'),
      limit: count.optional().describe('how many instances it takes from then on'),
    }),
    action('set-scaling-group', 'changes a scaling group', { ...ofScalingGroup, ...groupState }),
    action('add-activity', 'adds an activity of a scaling group', {
      ...ofScalingGroup,
      activity_id: activityId.optional().describe('chosen by the emulator when absent'),
      ...activityContent,
    }),
    action('set-default-version', 'makes another version of a template the default', ofVersion),
    action('create-version', 'adds a version to a template', {
      ...ofTemplate,
      version: versionNumber.optional().describe('the next free number when absent'),
      ...versionContent,
    }),
    action('delete-version', 'deletes a version that is not the default', ofVersion),
    action('create-template', 'creates a template', { ...ofTemplate, ...templateContent }),
    action('delete-template', 'deletes a template', ofTemplate),
    action('add-zone', 'adds a zone to a region', {
      ...inRegion,
      zone: zoneName.describe('a zone that the region does not have'),
      ...zoneContent,
    }),
    action('remove-zone', 'removes a zone with its quotas', {
      ...inRegion,
      zone: zoneName.describe('a zone that the region has'),
    }),
    action('month-turn', 'sets what is used of all prepaid quotas to 0', ofAccount),
  ]);
}

export const actionSchema = actionsWith({});
/** An action as its author writes it: fields with a default may be absent. */
export type ActionInput = z.input<typeof actionSchema>;
export type Action = z.output<typeof actionSchema>;
export type ActionOf<Name extends Action['do']> = Extract<Action, { do: Name }>;

/** An entry of the timeline: an action and its time. */
export const timelineEntrySchema = actionsWith({
  at: durationText().describe('since the start of the scenario'),
});
export type TimelineEntry = z.output<typeof timelineEntrySchema>;
