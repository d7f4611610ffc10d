/** The launch templates of a region: DescribeLaunchTemplates. It finds targets for their versions. */
import { z } from 'zod';
import { defineCollector } from '../collector.ts';
import { cvm } from '../services.ts';
import {
  launchTemplateEveryRegionKeys,
  launchTemplateRegionKeys,
} from '../launch-template/configuration.ts';
import { launchTemplateOperation } from '../launch-template/target.ts';
import { compareTemplateLists } from './compare.ts';
import { launchTemplateListFamilies } from './families.ts';
import { launchTemplateListJson } from './json.ts';
import { pollLaunchTemplateList } from './poll.ts';
import {
  continueListRecord,
  newLaunchTemplateListRecord,
  watchedTemplates,
  type LaunchTemplateListRecord,
  type LaunchTemplateListSnapshot,
} from './record.ts';
import { storedLaunchTemplateListRecord } from './stored.ts';
import {
  launchTemplateListOperation,
  type LaunchTemplateListTarget,
  type TemplateSelection,
} from './target.ts';

export const launchTemplateListCollector = defineCollector({
  kind: 'launch-template-list',
  operation: launchTemplateListOperation,
  service: cvm,
  noun: 'launch template discovery',
  resourceLabels: [],
  configuration: {
    account: z.object({}),
    region: launchTemplateRegionKeys,
    everyRegion: launchTemplateEveryRegionKeys,
    nothing: 'no region names launch_templates',
  },
  actions: [launchTemplateListOperation, launchTemplateOperation].map(
    (each) => `name/${cvm.service}:${each}`,
  ),
  changeTexts: {
    'template-created': ({ to }) => `launch template ${to ?? ''} created`,
    'template-deleted': ({ from }) => `launch template ${from ?? ''} deleted`,
  },
  isTarget: (target): target is LaunchTemplateListTarget =>
    target.operation === launchTemplateListOperation,
  isSnapshot: (snapshot): snapshot is LaunchTemplateListSnapshot =>
    snapshot.kind === 'launch-template-list',
  isRecord: (record): record is LaunchTemplateListRecord => record.kind === 'launch-template-list',
  plan: ({ account, region, regionKeys }): LaunchTemplateListTarget[] => {
    const selection = selectionOf(regionKeys.launch_templates);
    const { max_launch_templates: maxWatched } = regionKeys;
    const operation = launchTemplateListOperation;
    return selection === null ? [] : [{ account, region, operation, selection, maxWatched }];
  },
  details: ({ selection: { names, tags } }) =>
    [...(names ?? []), ...Object.entries(tags).map(([key, value]) => `${key}=${value}`)].join(', '),
  poll: pollLaunchTemplateList,
  discovery: {
    finds: watchedTemplates,
    requests:
      '1 request per cycle for each 100 templates (10 for 1,000), and 1 request an hour for each template',
  },
  newRecord: newLaunchTemplateListRecord,
  continueRecord: continueListRecord,
  countFromZero: (record) => ({ ...record, templatesCreated: 0, templatesDeleted: 0 }),
  forget: (record) => ({ ...record, inventory: null }),
  compare: compareTemplateLists,
  stored: storedLaunchTemplateListRecord,
  families: launchTemplateListFamilies,
  json: launchTemplateListJson,
});

/** `null` when the configuration names the templates. */
function selectionOf(
  key: z.output<typeof launchTemplateRegionKeys>['launch_templates'],
): TemplateSelection | null {
  if (Array.isArray(key)) return null;
  const { names = null, tags = {} } = key === 'all' ? {} : key;
  return { names, tags };
}
