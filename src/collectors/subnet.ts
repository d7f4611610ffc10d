/** The free addresses of the subnets that launches of a region need: DescribeSubnets of vpc. */
import { z } from 'zod';
import type { Subnet } from '../model/launches/launch.ts';
import { lackingSchema } from '../model/inventory.ts';
import { snapshotSchema } from '../model/poll-outcome.ts';
import { uniqueQuotas, quotaSchema } from '../model/quota.ts';
import { recordSchema } from '../model/record.ts';
import { count, text, type Stored } from '../model/stored.ts';
import { expectZonesOf, lenient, printableText, readByIds } from './rows.ts';
import { defineCollector, vpc } from './collector.ts';
import { launchConfiguration, zoneName } from './keys.ts';
import { areLaunchesJudged, resourcesBy } from './launch-settings.ts';
import { launchesOfRegion } from './launches-of-region.ts';

const operation = 'DescribeSubnets';
const type = 'subnet_addresses';
const noun = 'subnets';
const subnetsById = resourcesBy('subnet_id');

const stored = recordSchema(operation, {
  target: { subnets: z.array(text) },
  durable: {
    /** The IDs that answers lack or the service refuses, and how many in a row. */
    lacking: lackingSchema.default([]),
  },
  snapshot: snapshotSchema({
    /** The readable subnets. A subnet lies in one zone. */
    quotas: uniqueQuotas(
      quotaSchema.extend({
        zone: text.min(1),
        labels: z.object({ subnet_id: text }),
        /** Whether it has an IPv6 block. `null` if that is unknown. */
        hasIpv6: z.boolean().nullable(),
        vpc: text.optional(),
      }),
    ),
    /** The IDs of subnets that a whole answer does not name, or that the service refuses. */
    lacking: z.array(text),
  }),
});
type SubnetRecord = Stored<typeof stored>;

const rowSchema = z
  .object({
    SubnetId: printableText,
    Zone: zoneName,
    AvailableIpAddressCount: count,
    TotalIpAddressCount: count,
    /** Empty without one. */
    Ipv6CidrBlock: lenient(text),
    VpcId: lenient(printableText),
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
    hasIpv6: row.Ipv6CidrBlock === null ? null : row.Ipv6CidrBlock !== '',
    ...(row.VpcId !== null && { vpc: row.VpcId }),
  }));

const subnetSet = {
  name: 'SubnetSet',
  noun,
  id: z.object({ SubnetId: printableText }),
  schema: rowSchema,
};

/** The codes for a subnet that does not exist, or that belongs to another account. */
const refusalCodes = [
  'ResourceNotFound',
  'InvalidParameterValue.Malformed',
  'UnsupportedOperation.AppIdMismatch',
];

function subnetOf(id: string, record: SubnetRecord): Subnet {
  const { durable, observed } = record;
  const read = observed.snapshot?.quotas.find(({ labels }) => labels.subnet_id === id);
  const history = durable.histories.find((quota) => subnetsById.idOf(quota) === id);
  const zone = read?.zone ?? history?.zone ?? null;
  return {
    ...subnetsById.presenceOf(id, record),
    zone,
    hasIpv6: read?.hasIpv6 ?? null,
    ...(read?.vpc && { vpc: read.vpc }),
  };
}

export const subnetCollector = defineCollector<SubnetRecord, typeof launchConfiguration>({
  kind: 'subnet',
  operation,
  service: vpc,
  noun,
  follows: ['DescribeLaunchTemplateVersions', 'DescribeLaunchConfigurations'],
  isLaunchPart: true,
  resourceLabels: ['subnet_id'],
  configuration: launchConfiguration,
  plan: (settings, records) => {
    const { account, region, regionKeys } = settings;
    const areJudged = areLaunchesJudged(settings);
    if (!areJudged && regionKeys.subnets.length === 0) return [];
    const launches = areJudged ? launchesOfRegion(settings, records) : [];
    const needed = launches.flatMap(({ subnets }) => subnets ?? []);
    const subnets = [...new Set([...regionKeys.subnets, ...needed])].toSorted();
    return [{ account, region, operation, subnets }];
  },
  asksNothing: ({ subnets }) => subnets.length === 0,
  details: ({ subnets }) => subnets.slice(0, 5).join(', '),
  poll: async (ask, { region, subnets }) => {
    const reading = await readByIds(ask, 'SubnetIds', subnets, refusalCodes, subnetSet);
    for (const { requestId, rows } of reading.answers) {
      const zones = rows.map(({ row }) => row.zone);
      expectZonesOf(region, zones, requestId);
    }
    const { anomalies, lacking, missing, rows } = reading;
    return { snapshot: { quotas: rows.map(({ row }) => row), lacking, missing }, anomalies };
  },
  compare: ({ durable, target }, snapshot) =>
    subnetsById.compare(durable.lacking, target.subnets, snapshot),
  stored,
  quotaSources: {
    used: 'TotalIpAddressCount less AvailableIpAddressCount of DescribeSubnets',
    remaining: 'AvailableIpAddressCount of DescribeSubnets',
    limit: 'TotalIpAddressCount of DescribeSubnets',
  },
  quotaNames: { [type]: 'subnet addresses' },
  reportableQuotas: ({ subnets }) =>
    subnets.length === 0 ? [] : [{ type, zones: null, resources: subnets }],
  launchFacts: (record) => ({ subnets: record.target.subnets.map((id) => subnetOf(id, record)) }),
});
