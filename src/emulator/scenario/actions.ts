/** What can be done to the state: the timeline's entries, and what the control API takes. */
import { z } from 'zod';
import { duration } from '../../validation/duration.ts';
import type { EmulatorState, QuotaPlace } from '../resources/emulator-state.ts';
import { quotaTypes } from '../resources/model.ts';
import {
  count,
  regionName,
  templateContent,
  templateId,
  versionContent,
  versionNumber,
  zoneName,
  zoneQuotas,
} from '../resources/schema.ts';

const account = {
  account: z.string().optional().describe('the first account when absent'),
};
export const inRegion = { ...account, region: regionName.describe('a region of the account') };
const ofQuota = {
  ...inRegion,
  zone: zoneName.optional().describe('of postpaid, prepaid and spotpaid, and only of these'),
  quota_type: z.enum(quotaTypes).describe('which quota'),
};
const ofTemplate = { ...inRegion, template_id: templateId.describe('such as lt-b8v1kcyq') };
const existingVersion = z
  .union([versionNumber, z.literal('latest')])
  .describe('a number, or `latest` for the highest one');

const setUsed = z.strictObject({
  do: z.literal('set-used').describe('changes how much of a quota is used'),
  ...ofQuota,
  used: count.describe('how much is used from then on'),
});
const setLimit = z.strictObject({
  do: z.literal('set-limit').describe('raises or lowers the limit of a quota'),
  ...ofQuota,
  limit: count.describe('how much may be used from then on'),
});
const setDefaultVersion = z.strictObject({
  do: z.literal('set-default-version').describe('makes another version of a template the default'),
  ...ofTemplate,
  version: existingVersion,
});
const createVersion = z.strictObject({
  do: z.literal('create-version').describe('adds a version to a template'),
  ...ofTemplate,
  version: versionNumber.optional().describe('the next free number when absent'),
  ...versionContent,
});
const deleteVersion = z.strictObject({
  do: z.literal('delete-version').describe('deletes a version that is not the default'),
  ...ofTemplate,
  version: existingVersion,
});
const createTemplate = z.strictObject({
  do: z.literal('create-template').describe('creates a template'),
  ...ofTemplate,
  ...templateContent,
});
const deleteTemplate = z.strictObject({
  do: z.literal('delete-template').describe('deletes a template'),
  ...ofTemplate,
});
const addZone = z.strictObject({
  do: z.literal('add-zone').describe('adds a zone to a region'),
  ...inRegion,
  zone: zoneName.describe('a zone that the region does not have'),
  ...zoneQuotas,
});
const removeZone = z.strictObject({
  do: z.literal('remove-zone').describe('removes a zone with its quotas'),
  ...inRegion,
  zone: zoneName.describe('a zone that the region has'),
});
const monthTurn = z.strictObject({
  do: z.literal('month-turn').describe('sets what is used of all prepaid quotas to 0'),
  ...account,
});

export const actionSchema = z.discriminatedUnion('do', [
  setUsed,
  setLimit,
  setDefaultVersion,
  createVersion,
  deleteVersion,
  createTemplate,
  deleteTemplate,
  addZone,
  removeZone,
  monthTurn,
]);
export type Action = z.output<typeof actionSchema>;

export const at = { at: duration().describe('since the start of the scenario') };

/** An action and when it happens. */
export const timelineEntrySchema = z.discriminatedUnion('do', [
  setUsed.extend(at),
  setLimit.extend(at),
  setDefaultVersion.extend(at),
  createVersion.extend(at),
  deleteVersion.extend(at),
  createTemplate.extend(at),
  deleteTemplate.extend(at),
  addZone.extend(at),
  removeZone.extend(at),
  monthTurn.extend(at),
]);
export type TimelineEntry = z.output<typeof timelineEntrySchema>;

/**
 * Does an action.
 *
 * @param atMs when it counts as done; now when absent
 * @throws StateError when the state does not allow it, as for a region that does not exist
 */
export function applyAction(state: EmulatorState, action: Action, atMs?: number): void {
  switch (action.do) {
    case 'set-used':
      state.setUsed({ ...quotaPlace(action), used: action.used });
      break;
    case 'set-limit':
      state.setLimit({ ...quotaPlace(action), limit: action.limit }, atMs);
      break;
    case 'set-default-version':
      state.setDefaultVersion({ ...templatePlace(action), version: action.version }, atMs);
      break;
    case 'create-version':
      state.createVersion({ ...action, ...templatePlace(action) }, atMs);
      break;
    case 'delete-version':
      state.deleteVersion({ ...templatePlace(action), version: action.version }, atMs);
      break;
    case 'create-template':
      state.createTemplate({ ...action, id: action.template_id }, atMs);
      break;
    case 'delete-template':
      state.deleteTemplate(templatePlace(action), atMs);
      break;
    case 'add-zone':
      state.addZone(action, atMs);
      break;
    case 'remove-zone':
      state.removeZone(action, atMs);
      break;
    case 'month-turn':
      state.monthTurn(action.account);
      break;
  }
}

function quotaPlace(action: z.output<typeof setUsed> | z.output<typeof setLimit>): QuotaPlace {
  const { account, region, zone, quota_type: quotaType } = action;
  return { account, region, zone, quotaType };
}

function templatePlace(action: {
  account?: string | undefined;
  region: string;
  template_id: string;
}) {
  return { account: action.account, region: action.region, templateId: action.template_id };
}
