/**
 * The two kinds for resources that launches of a region need and that are asked for by ID: subnets with their free
 * addresses (DescribeSubnets of vpc), and placement groups with their free instances (DescribeDisasterRecoverGroups).
 * Each resource is a quota, with its ID as a label.
 */
import { z } from 'zod';
import type { Service } from '../api/request.ts';
import { lackingAfter, lackingSchema, pollsToAbsent } from '../model/inventory.ts';
import type { Launch, LaunchFacts, Resource } from '../model/launches/launch.ts';
import { snapshotSchema } from '../model/poll-outcome.ts';
import { amountsOf, uniqueQuotas, quotaSchema, type QuotaName } from '../model/quota.ts';
import { recordSchema } from '../model/record.ts';
import { count, text, type Stored } from '../model/stored.ts';
import { defineCollector, vpc, type Collector } from './collector.ts';
import { zoneName, type LaunchKeys } from './keys.ts';
import { neededByLaunches } from './launch-needs.ts';
import { readByIds, type IdSet } from './lists.ts';
import { expectZonesOf, lenient, printableText } from './rows.ts';

/** The quota of a resource. */
const resource = quotaSchema.extend({
  /** Whether a subnet has an IPv6 block. `null` if that is unknown. */
  hasIpv6: z.boolean().nullish(),
  /** The VPC of a subnet. Absent if it is unknown. */
  vpc: text.optional(),
});
type ReadQuota = Stored<typeof resource>;

const stored = recordSchema({
  // Older versions stored the IDs under another key: then the plan gives them.
  target: { ids: z.array(text).default([]) },
  durable: {
    /** The IDs that answers lack or the service refuses, and how many in a row. */
    lacking: lackingSchema.default([]),
  },
  snapshot: snapshotSchema({
    quotas: uniqueQuotas(resource),
    /** The IDs that a whole answer does not name, or that the service refuses. */
    lacking: z.array(text),
  }),
});
type ResourceRecord = Stored<typeof stored>;

/** What is different for the two kinds. */
interface ResourceKind extends Pick<Collector, 'kind' | 'operation' | 'quotaSources'> {
  readonly service?: Service;
  /** The list in the answers. Its rows are identified by the ID of the resource. */
  readonly set: IdSet<z.ZodType<Omit<ReadQuota, 'type' | 'unit' | 'labels'>>>;
  /** The label of the quotas, with the ID. */
  readonly label: string;
  readonly type: string;
  readonly unit: string;
  /** The IDs that launches need, and `subnets`: the IDs that the configuration names besides. Some may be repeated. */
  readonly idsIn: (launches: readonly Launch[], subnets: readonly string[]) => readonly string[];
  /** What the resources of a region say about launches. */
  readonly factsOf: (resources: readonly Resource[]) => LaunchFacts;
  /** The resources in the JSON API. */
  readonly quotasJson: (quotas: readonly ReadQuota[]) => object;
}

function resourceCollector(kind: ResourceKind) {
  const { factsOf, idsIn, label, quotasJson, set, type, unit, ...members } = kind;
  const idOf = ({ labels }: QuotaName) => labels?.[label] ?? '';

  /** What is known of a resource. If its row cannot be read now, it keeps its last zone. */
  const resourceOf = (
    id: string,
    { durable, observed: { snapshot } }: ResourceRecord,
  ): Resource => {
    const hasThisId = (quota: QuotaName) => idOf(quota) === id;
    const read = snapshot?.quotas.find(hasThisId);
    const polls = durable.lacking.find((each) => each.id === id)?.polls;
    const isGone = polls === pollsToAbsent && snapshot?.lacking.includes(id) === true;
    return {
      id,
      isGone,
      isKnown: read !== undefined || isGone,
      zone: (read ?? durable.histories.find(hasThisId))?.zone ?? null,
      hasIpv6: read?.hasIpv6 ?? null,
      ...(read?.vpc && { vpc: read.vpc }),
    };
  };

  return defineCollector<ResourceRecord, LaunchKeys>({
    ...members,
    ...neededByLaunches(
      ({ ids }: ResourceRecord['target']) => ids,
      (target, launches, { regionKeys }) => {
        const ids = [...new Set(idsIn(launches, regionKeys.subnets))].toSorted();
        return { ...target, ids };
      },
    ),
    noun: set.noun,
    resourceLabels: [label],
    poll: async (ask, { target: { ids, region } }) => {
      const reading = await readByIds(ask, ids, set);
      for (const { requestId, rows } of reading.answers) {
        const zones = rows.flatMap(({ row }) => row.zone ?? []);
        expectZonesOf(region, zones, requestId);
      }
      const { anomalies, lacking, missing, rows } = reading;
      const quotas = rows.map(({ name, row }) => {
        return { ...row, type, unit, labels: { [label]: name } };
      });
      return { snapshot: { quotas, lacking, missing }, anomalies };
    },
    compare: ({ durable, target }, { lacking, quotas }) => {
      const readIds = quotas.map(idOf);
      const lackingNow = lackingAfter(durable.lacking, target.ids, (id) =>
        readIds.includes(id) ? 'named' : lacking.includes(id) ? 'lacking' : 'possible',
      );
      // Each ID is a set by itself, of which it is certain whether the service has the resource.
      const wholeSets = [...lacking, ...readIds];
      return {
        durable: { lacking: lackingNow },
        // `missing` of the snapshot names each lacking resource already.
        quotas: { wholeSets, setOf: idOf, isMissingNamed: true },
      };
    },
    stored,
    // People call the quotas by the same words: `subnet addresses`.
    quotaNames: { [type]: type.replaceAll('_', ' ') },
    reportableQuotas: ({ ids: resources }) =>
      resources.length === 0 ? [] : [{ type, zones: null, resources }],
    launchFacts: (record) => factsOf(record.target.ids.map((id) => resourceOf(id, record))),
    json: ({ lacking, quotas }) => ({ ...quotasJson(quotas), lacking }),
  });
}

export const subnetCollector = resourceCollector({
  kind: 'subnet',
  operation: 'DescribeSubnets',
  service: vpc,
  label: 'subnet_id',
  type: 'subnet_addresses',
  unit: 'addresses',
  idsIn: (launches, named) => [...named, ...launches.flatMap(({ subnets }) => subnets ?? [])],
  factsOf: (subnets) => ({ subnets }),
  quotasJson: (quotas) => ({
    subnets: quotas.map(({ labels, limit, remaining, zone }) => {
      return { ...labels, zone, total: limit, available: remaining };
    }),
  }),
  quotaSources: {
    used: 'TotalIpAddressCount less AvailableIpAddressCount of DescribeSubnets',
    remaining: 'AvailableIpAddressCount of DescribeSubnets',
    limit: 'TotalIpAddressCount of DescribeSubnets',
  },
  set: {
    name: 'SubnetSet',
    noun: 'subnets',
    parameter: 'SubnetIds',
    // The subnet does not exist, or belongs to another account.
    codes: [
      'ResourceNotFound',
      'InvalidParameterValue.Malformed',
      'UnsupportedOperation.AppIdMismatch',
    ],
    id: z.object({ SubnetId: printableText }),
    schema: z
      .object({
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
        zone: row.Zone,
        used: row.TotalIpAddressCount - row.AvailableIpAddressCount,
        remaining: row.AvailableIpAddressCount,
        limit: row.TotalIpAddressCount,
        hasIpv6: row.Ipv6CidrBlock === null ? null : row.Ipv6CidrBlock !== '',
        ...(row.VpcId !== null && { vpc: row.VpcId }),
      })),
  },
});

export const placementGroupCollector = resourceCollector({
  kind: 'placement-group',
  operation: 'DescribeDisasterRecoverGroups',
  label: 'placement_group_id',
  type: 'placement_group_instances',
  unit: 'instances',
  idsIn: (launches) => launches.flatMap(({ placementGroups }) => placementGroups ?? []),
  factsOf: (placementGroups) => ({ placementGroups }),
  quotasJson: (quotas) => ({
    placement_groups: quotas.map(({ labels, limit, used }) => ({ ...labels, total: limit, used })),
  }),
  quotaSources: {
    used: 'CurrentNum of DescribeDisasterRecoverGroups',
    remaining: 'CvmQuotaTotal less CurrentNum of DescribeDisasterRecoverGroups',
    limit: 'CvmQuotaTotal of DescribeDisasterRecoverGroups',
  },
  set: {
    name: 'DisasterRecoverGroupSet',
    noun: 'placement groups',
    parameter: 'DisasterRecoverGroupIds',
    maxIds: 10,
    codes: ['InvalidParameterValue.DisasterRecoverGroupIdMalformed'],
    id: z.object({ DisasterRecoverGroupId: printableText }),
    schema: z
      .object({ CvmQuotaTotal: count, CurrentNum: count })
      .transform((row) => ({ zone: null, ...amountsOf(row.CurrentNum, row.CvmQuotaTotal) })),
  },
});
