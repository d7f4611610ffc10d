/** The free addresses of the subnets that launches of a region need: DescribeSubnets of vpc. */
import { z } from 'zod';
import type { Parameter } from '../api/request.ts';
import { snapshotSchema } from '../model/poll-outcome.ts';
import { uniqueQuotas, quotaSchema, type QuotaName } from '../model/quota.ts';
import { recordSchema } from '../model/record.ts';
import { count, text, type Stored } from '../model/stored.ts';
import { askInHalves, readList } from './rows.ts';
import { defineCollector, vpc } from './collector.ts';
import { launchConfiguration, zoneName } from './keys.ts';
import { launchesOfTemplates } from './launch-template/launch-template.ts';
import { areLaunchesJudged, configuredLaunches } from './launch-settings.ts';

const operation = 'DescribeSubnets';
const type = 'subnet_addresses';
const noun = 'subnets';

const stored = recordSchema(operation, {
  target: { subnets: z.array(text) },
  durable: {},
  snapshot: snapshotSchema({
    /** The readable subnets. A subnet lies in one zone. */
    quotas: uniqueQuotas(
      quotaSchema.extend({ zone: text.min(1), labels: z.object({ subnet_id: text }) }),
    ),
    /** The IDs of subnets that a complete answer does not name, or that the service refuses. */
    absent: z.array(text),
  }),
});
type SubnetRecord = Stored<typeof stored>;

const rowSchema = z
  .object({
    SubnetId: text,
    Zone: zoneName,
    AvailableIpAddressCount: count,
    TotalIpAddressCount: count,
  })
  .refine((row) => row.AvailableIpAddressCount <= row.TotalIpAddressCount, {
    error: 'more addresses are free than there are',
  })
  .transform((row) => ({
    type,
    zone: row.Zone,
    unit: 'addresses',
    labels: { subnet_id: row.SubnetId },
    used: row.TotalIpAddressCount - row.AvailableIpAddressCount,
    remaining: row.AvailableIpAddressCount,
    limit: row.TotalIpAddressCount,
  }));

/** @param ids the subnets that are asked for. Other rows are dropped */
const subnetSet = (ids: readonly string[]) => ({
  name: 'SubnetSet',
  noun,
  id: z.object({ SubnetId: text }),
  schema: rowSchema,
  isWanted: (id: string) => ids.includes(id),
});

/** The codes for a subnet that does not exist, or that belongs to another account. */
const refusalCodes = [
  'ResourceNotFound',
  'InvalidParameterValue.Malformed',
  'UnsupportedOperation.AppIdMismatch',
];

const idOf = ({ labels }: QuotaName) => labels?.['subnet_id'] ?? '';

export const subnetCollector = defineCollector<SubnetRecord, typeof launchConfiguration>({
  kind: 'subnet',
  operation,
  service: vpc,
  noun,
  follows: ['DescribeLaunchTemplateVersions'],
  resourceLabels: ['subnet_id'],
  configuration: launchConfiguration,
  plan: (settings, records) => {
    const { account, region, regionKeys } = settings;
    const areJudged = areLaunchesJudged(settings);
    if (!areJudged && regionKeys.subnets.length === 0) return [];
    const launches = [...launchesOfTemplates(records), ...configuredLaunches(regionKeys)];
    const needed = areJudged ? launches.flatMap(({ subnets }) => subnets ?? []) : [];
    const subnets = [...new Set([...regionKeys.subnets, ...needed])].toSorted();
    return [{ account, region, operation, subnets }];
  },
  details: ({ subnets }) => subnets.slice(0, 5).join(', '),
  poll: async (ask, { subnets }) => {
    const { answers, refused } = await askInHalves(subnets, refusalCodes, async (ids) => {
      const parameters = ids.map((id, i): Parameter => [`SubnetIds.${i}`, id]);
      const reading = await readList(ask, parameters, subnetSet(ids));
      // An unreadable row may be that of a subnet without a row.
      const isWhole = reading.anomalies.every(({ isHarmless }) => isHarmless === true);
      const unnamed = ids.filter((id) => !reading.names.includes(id));
      return { ...reading, unnamed: isWhole ? unnamed : [] };
    });
    const gone = answers.flatMap(({ unnamed }) => unnamed);
    return {
      snapshot: {
        quotas: answers.flatMap(({ rows }) => rows.map(({ row }) => row)),
        absent: [...refused.map(({ name }) => name), ...gone],
        missing: [
          ...refused.map(({ code, name }) => `${name}: refused with ${code}`),
          ...gone.map((id) => `${id}: not in the answer`),
        ],
      },
      anomalies: answers.flatMap(({ anomalies }) => anomalies),
    };
  },
  compare: (_record, { absent, quotas }) => ({
    quotas: { wholeSets: [...absent, ...quotas.map(idOf)], setOf: idOf, isMissingNamed: true },
  }),
  stored,
  quotaSources: {
    used: 'TotalIpAddressCount less AvailableIpAddressCount of DescribeSubnets',
    remaining: 'AvailableIpAddressCount of DescribeSubnets',
    limit: 'TotalIpAddressCount of DescribeSubnets',
  },
  quotaNames: { [type]: 'subnet addresses' },
  reportableQuotas: ({ subnets }) =>
    subnets.length === 0 ? [] : [{ type, zones: null, resources: subnets }],
  launchFacts: ({ observed: { snapshot } }) => ({
    subnets: [
      ...(snapshot?.quotas ?? []).map(({ labels, zone }) => ({ id: labels.subnet_id, zone })),
      ...(snapshot?.absent ?? []).map((id) => ({ id, zone: null })),
    ],
  }),
  json: ({ absent, quotas }) => ({
    subnets: quotas.map(({ labels, limit, remaining, zone }) => ({
      subnet_id: labels.subnet_id,
      zone,
      total: limit,
      available: remaining,
    })),
    absent,
  }),
});
