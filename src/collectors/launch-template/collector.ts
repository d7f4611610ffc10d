/** One launch template and its versions: DescribeLaunchTemplateVersions. */
import { z } from 'zod';
import { defineCollector } from '../collector.ts';
import { cvm } from '../services.ts';
import { compareVersions } from './compare.ts';
import { launchTemplateEveryRegionKeys, launchTemplateRegionKeys } from './configuration.ts';
import { launchTemplateFamilies } from './families.ts';
import { launchTemplateJson } from './json.ts';
import { needsVersions } from './due.ts';
import { pollLaunchTemplate } from './poll.ts';
import {
  newLaunchTemplateRecord,
  type LaunchTemplateRecord,
  type LaunchTemplateSnapshot,
} from './record.ts';
import { storedLaunchTemplateRecord } from './stored.ts';
import { launchTemplateTable } from './table.ts';
import { launchTemplateOperation, type LaunchTemplateTarget } from './target.ts';

export const launchTemplateCollector = defineCollector({
  kind: 'launch-template',
  operation: launchTemplateOperation,
  service: cvm,
  noun: 'launch templates',
  resourceLabels: ['template_id'],
  configuration: {
    account: z.object({}),
    region: launchTemplateRegionKeys,
    everyRegion: launchTemplateEveryRegionKeys,
    nothing: 'no region names launch_templates',
  },
  actions: [`name/${cvm.service}:${launchTemplateOperation}`],
  changeTexts: {
    'default-version-changed': ({ from, to }) =>
      `default version changed from ${from ?? 'none'} to ${to ?? 'none'}`,
    'version-created': ({ to }) => `version ${to ?? ''} created`,
    'version-deleted': ({ from }) => `version ${from ?? ''} deleted`,
  },
  isTarget: (target): target is LaunchTemplateTarget =>
    target.operation === launchTemplateOperation,
  isSnapshot: (snapshot): snapshot is LaunchTemplateSnapshot => snapshot.kind === 'launch-template',
  isRecord: (record): record is LaunchTemplateRecord => record.kind === 'launch-template',
  plan: ({ account, region, regionKeys }) =>
    // Otherwise, discovery finds the templates.
    (Array.isArray(regionKeys.launch_templates) ? regionKeys.launch_templates : []).map(
      (template_id): LaunchTemplateTarget => ({
        account,
        region,
        operation: launchTemplateOperation,
        resource: { template_id },
      }),
    ),
  details: () => '',
  poll: pollLaunchTemplate,
  needsPoll: needsVersions,
  newRecord: newLaunchTemplateRecord,
  continueRecord: (record, target) => ({ ...record, target }),
  countFromZero: (record) => ({
    ...record,
    defaultVersionChanges: 0,
    versionsCreated: 0,
    versionsDeleted: 0,
  }),
  forget: (record) => ({ ...record, inventory: null, lastDefaultVersion: null }),
  compare: compareVersions,
  stored: storedLaunchTemplateRecord,
  families: launchTemplateFamilies,
  json: launchTemplateJson,
  table: launchTemplateTable,
});
