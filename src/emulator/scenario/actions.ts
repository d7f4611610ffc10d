/** The actions on the state: for entries of the timeline and for the control API. */
import { z } from 'zod';
import { duration } from '../../validation/duration.ts';
import { inCode } from '../input/words.ts';
import type { EmulatorState } from '../resources/emulator-state.ts';
import { quotaTypes, zoneQuotas } from '../resources/quotas.ts';
import { count, regionName, templateId, versionNumber, zoneName } from '../resources/schema.ts';
import { templateContent, versionContent } from '../resources/templates.ts';

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

/** @param more fields of every action */
function actionsWith<Fields extends z.ZodRawShape>(more: Fields) {
  return inCode(
    z.discriminatedUnion('do', [
      z.strictObject({
        do: z.literal('set-used').describe('changes how much of a quota is used'),
        ...ofQuota,
        used: count.describe('how much is used from then on'),
        ...more,
      }),
      z.strictObject({
        do: z.literal('set-limit').describe('raises or lowers the limit of a quota'),
        ...ofQuota,
        limit: count.describe('how much may be used from then on'),
        ...more,
      }),
      z.strictObject({
        do: z
          .literal('set-default-version')
          .describe('makes another version of a template the default'),
        ...ofTemplate,
        version: existingVersion,
        ...more,
      }),
      z.strictObject({
        do: z.literal('create-version').describe('adds a version to a template'),
        ...ofTemplate,
        version: versionNumber.optional().describe('the next free number when absent'),
        ...versionContent,
        ...more,
      }),
      z.strictObject({
        do: z.literal('delete-version').describe('deletes a version that is not the default'),
        ...ofTemplate,
        version: existingVersion,
        ...more,
      }),
      z.strictObject({
        do: z.literal('create-template').describe('creates a template'),
        ...ofTemplate,
        ...templateContent,
        ...more,
      }),
      z.strictObject({
        do: z.literal('delete-template').describe('deletes a template'),
        ...ofTemplate,
        ...more,
      }),
      z.strictObject({
        do: z.literal('add-zone').describe('adds a zone to a region'),
        ...inRegion,
        zone: zoneName.describe('a zone that the region does not have'),
        ...zoneQuotas,
        ...more,
      }),
      z.strictObject({
        do: z.literal('remove-zone').describe('removes a zone with its quotas'),
        ...inRegion,
        zone: zoneName.describe('a zone that the region has'),
        ...more,
      }),
      z.strictObject({
        do: z.literal('month-turn').describe('sets what is used of all prepaid quotas to 0'),
        ...account,
        ...more,
      }),
    ]),
  );
}

export const actionSchema = actionsWith({});
export type Action = z.output<typeof actionSchema>;

export const at = { at: duration().describe('since the start of the scenario') };

/** An action and its time. */
export const timelineEntrySchema = actionsWith(at);
export type TimelineEntry = z.output<typeof timelineEntrySchema>;

/**
 * Applies an action.
 *
 * @param atMs time of the action; defaults to now
 * @throws StateError when the state does not allow it, for example if the region does not exist
 */
export function applyAction(state: EmulatorState, action: Action, atMs?: number): void {
  switch (action.do) {
    case 'set-used':
      state.setUsed(action);
      break;
    case 'set-limit':
      state.setLimit(action, atMs);
      break;
    case 'set-default-version':
      state.setDefaultVersion(action, atMs);
      break;
    case 'create-version':
      state.createVersion(action, atMs);
      break;
    case 'delete-version':
      state.deleteVersion(action, atMs);
      break;
    case 'create-template':
      state.createTemplate(action, atMs);
      break;
    case 'delete-template':
      state.deleteTemplate(action, atMs);
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
