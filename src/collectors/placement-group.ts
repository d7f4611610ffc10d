/** The instances of the placement groups that launches of a region need: DescribeDisasterRecoverGroups. */
import { z } from 'zod';
import { lackingSchema } from '../model/inventory.ts';
import { snapshotSchema } from '../model/poll-outcome.ts';
import { uniqueQuotas, quotaSchema } from '../model/quota.ts';
import { recordSchema } from '../model/record.ts';
import { count, text, type Stored } from '../model/stored.ts';
import { cvm, defineCollector } from './collector.ts';
import { launchConfiguration } from './keys.ts';
import { areLaunchesJudged, resourcesBy } from './launch-settings.ts';
import { launchesOfRegion } from './launches-of-region.ts';
import { printableText, readByIds } from './rows.ts';

const operation = 'DescribeDisasterRecoverGroups';
const type = 'placement_group_instances';
const noun = 'placement groups';
const groups = resourcesBy('placement_group_id');

const stored = recordSchema(operation, {
  target: { placementGroups: z.array(text) },
  durable: { lacking: lackingSchema.default([]) },
  snapshot: snapshotSchema({
    quotas: uniqueQuotas(quotaSchema.extend({ labels: z.object({ placement_group_id: text }) })),
    /** The IDs of groups that a whole answer does not name, or that the service refuses. */
    lacking: z.array(text),
  }),
});
type PlacementGroupRecord = Stored<typeof stored>;

const groupSet = {
  name: 'DisasterRecoverGroupSet',
  noun,
  id: z.object({ DisasterRecoverGroupId: printableText }),
  schema: z
    .object({ DisasterRecoverGroupId: text, CvmQuotaTotal: count, CurrentNum: count })
    .transform(({ DisasterRecoverGroupId: id, CvmQuotaTotal: limit, CurrentNum: used }) => ({
      ...{ type, zone: null, unit: 'instances', labels: { placement_group_id: id } },
      ...{ used, remaining: limit - used, limit },
    })),
};

/** Maximum number of IDs in a request. */
const maxIds = 10;
/** The code for an ID that the service does not know. */
const refusalCodes = ['InvalidParameterValue.DisasterRecoverGroupIdMalformed'];

export const placementGroupCollector = defineCollector<
  PlacementGroupRecord,
  typeof launchConfiguration
>({
  kind: 'placement-group',
  operation,
  service: cvm,
  noun,
  follows: ['DescribeLaunchTemplateVersions', 'DescribeLaunchConfigurations'],
  isLaunchPart: true,
  resourceLabels: ['placement_group_id'],
  configuration: launchConfiguration,
  plan: (settings, records) => {
    if (!areLaunchesJudged(settings)) return [];
    const { account, region } = settings;
    const needed = launchesOfRegion(settings, records).flatMap(
      (each) => each.placementGroups ?? [],
    );
    return [{ account, region, operation, placementGroups: [...new Set(needed)].toSorted() }];
  },
  asksNothing: ({ placementGroups }) => placementGroups.length === 0,
  details: ({ placementGroups }) => placementGroups.slice(0, 5).join(', '),
  poll: async (ask, { placementGroups }) => {
    const name = 'DisasterRecoverGroupIds';
    const { anomalies, lacking, missing, rows } = await readByIds(
      ...([ask, name, placementGroups, refusalCodes, groupSet, maxIds] as const),
    );
    return { snapshot: { quotas: rows.map(({ row }) => row), lacking, missing }, anomalies };
  },
  compare: ({ durable, target }, snapshot) =>
    groups.compare(durable.lacking, target.placementGroups, snapshot),
  stored,
  quotaSources: {
    used: 'CurrentNum of DescribeDisasterRecoverGroups',
    remaining: 'CvmQuotaTotal less CurrentNum of DescribeDisasterRecoverGroups',
    limit: 'CvmQuotaTotal of DescribeDisasterRecoverGroups',
  },
  quotaNames: { [type]: 'placement group instances' },
  reportableQuotas: ({ placementGroups: resources }) =>
    resources.length === 0 ? [] : [{ type, zones: [], resources }],
  launchFacts: (record) => ({
    placementGroups: record.target.placementGroups.map((id) => groups.presenceOf(id, record)),
  }),
});
