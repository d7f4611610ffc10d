/**
 * The resources that launches of a region need and that are asked for by ID, each of which is a quota: the free addresses of
 * subnets (DescribeSubnets of vpc), and the free instances of placement groups (DescribeDisasterRecoverGroups).
 */
import { z } from 'zod';
import { lackingAfter, lackingSchema, pollsToAbsent, type Lacking } from '../model/inventory.ts';
import type { PlacementGroup, Subnet } from '../model/launches/launch.ts';
import { snapshotSchema, type Snapshot } from '../model/poll-outcome.ts';
import { uniqueQuotas, quotaSchema, type Quota, type QuotaName } from '../model/quota.ts';
import { recordSchema, type Durable, type TargetRecord } from '../model/record.ts';
import { count, text, type Stored } from '../model/stored.ts';
import { cvm, defineCollector, vpc } from './collector.ts';
import { zoneName, type launchConfiguration } from './keys.ts';
import { neededByLaunches } from './launch-needs.ts';
import { expectZonesOf, lenient, printableText, readByIds } from './rows.ts';

const durable = {
  /** The IDs that answers lack or the service refuses, and how many in a row. */
  lacking: lackingSchema.default([]),
};
/** The IDs that a whole answer does not name, or that the service refuses. */
const lacking = z.array(text);

type ResourceSnapshot = Snapshot & {
  readonly quotas: readonly Quota[];
  readonly lacking: readonly string[];
};
type ResourceRecord = TargetRecord<Durable & { readonly lacking: Lacking }, ResourceSnapshot>;

/**
 * What both kinds share.
 *
 * @param label of the quotas, with the ID
 * @param zones of the quotas. `null`: any
 */
function resourcesOf<R extends ResourceRecord>(
  {
    label,
    name,
    type,
    zones,
  }: Readonly<Record<'label' | 'name' | 'type', string>> & {
    readonly zones: readonly string[] | null;
  },
  idsIn: (target: R['target']) => readonly string[],
) {
  const idOf = ({ labels }: QuotaName) => labels?.[label] ?? '';
  return {
    idOf,
    members: {
      resourceLabels: [label],
      quotaNames: { [type]: name },
      reportableQuotas: (target: R['target']) => {
        const resources = idsIn(target);
        return resources.length === 0 ? [] : [{ type, zones, resources }];
      },
      compare: (before: R, snapshot: ResourceSnapshot) => {
        const read = snapshot.quotas.map(idOf);
        const next = lackingAfter(before.durable.lacking, idsIn(before.target), (id) =>
          read.includes(id) ? 'named' : snapshot.lacking.includes(id) ? 'lacking' : 'possible',
        );
        return {
          durable: { lacking: next },
          quotas: {
            wholeSets: [...snapshot.lacking, ...read],
            setOf: idOf,
            isMissingNamed: true,
          },
        };
      },
    },
    /** What is known of each. */
    presences: ({ durable: counted, observed: { snapshot }, target }: R) =>
      idsIn(target).map((id): PlacementGroup => {
        const isRead = snapshot?.quotas.some((quota) => idOf(quota) === id) === true;
        const polls = counted.lacking.find((each) => each.id === id)?.polls;
        const isGone = polls === pollsToAbsent && snapshot?.lacking.includes(id) === true;
        return { id, isGone, isKnown: isRead || isGone };
      }),
  };
}

const subnetStored = recordSchema('DescribeSubnets', {
  target: { subnets: z.array(text) },
  durable,
  snapshot: snapshotSchema({
    /** The readable subnets. A subnet lies in one zone. */
    quotas: uniqueQuotas(
      quotaSchema.extend({
        zone: text.min(1),
        /** Whether it has an IPv6 block. `null` if that is unknown. */
        hasIpv6: z.boolean().nullable(),
        vpc: text.optional(),
      }),
    ),
    lacking,
  }),
});
type SubnetRecord = Stored<typeof subnetStored>;

const subnetSet = {
  name: 'SubnetSet',
  noun: 'subnets',
  id: z.object({ SubnetId: printableText }),
  schema: z
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
      type: 'subnet_addresses',
      zone: row.Zone,
      unit: 'addresses',
      labels: { subnet_id: row.SubnetId },
      used: row.TotalIpAddressCount - row.AvailableIpAddressCount,
      remaining: row.AvailableIpAddressCount,
      limit: row.TotalIpAddressCount,
      hasIpv6: row.Ipv6CidrBlock === null ? null : row.Ipv6CidrBlock !== '',
      ...(row.VpcId !== null && { vpc: row.VpcId }),
    })),
};

/** The codes for a subnet that does not exist, or that belongs to another account. */
const subnetCodes = [
  'ResourceNotFound',
  'InvalidParameterValue.Malformed',
  'UnsupportedOperation.AppIdMismatch',
];

const subnetsIn = ({ subnets }: SubnetRecord['target']) => subnets;
const ofSubnets = resourcesOf<SubnetRecord>(
  { label: 'subnet_id', name: 'subnet addresses', type: 'subnet_addresses', zones: null },
  subnetsIn,
);

/** The subnets of a record. One that cannot be read now keeps its last zone. */
function subnetFacts(record: SubnetRecord): readonly Subnet[] {
  return ofSubnets.presences(record).map((presence) => {
    const isOwn = (quota: QuotaName) => ofSubnets.idOf(quota) === presence.id;
    const read = record.observed.snapshot?.quotas.find(isOwn);
    const zone = (read ?? record.durable.histories.find(isOwn))?.zone ?? null;
    const hasIpv6 = read?.hasIpv6 ?? null;
    return { ...presence, zone, hasIpv6, ...(read?.vpc && { vpc: read.vpc }) };
  });
}

export const subnetCollector = defineCollector<SubnetRecord, typeof launchConfiguration>({
  ...ofSubnets.members,
  ...neededByLaunches(subnetsIn, (place, launches, { regionKeys }) => {
    const needed = launches.flatMap(({ subnets }) => subnets ?? []);
    const subnets = [...new Set([...regionKeys.subnets, ...needed])].toSorted();
    return { ...place, operation: 'DescribeSubnets', subnets };
  }),
  kind: 'subnet',
  operation: 'DescribeSubnets',
  service: vpc,
  noun: subnetSet.noun,
  poll: async (ask, { region, subnets }) => {
    const reading = await readByIds(ask, 'SubnetIds', subnets, subnetCodes, subnetSet);
    for (const { requestId, rows } of reading.answers) {
      const zones = rows.map(({ row }) => row.zone);
      expectZonesOf(region, zones, requestId);
    }
    const { anomalies, lacking: lacked, missing, rows } = reading;
    const quotas = rows.map(({ row }) => row);
    return { snapshot: { quotas, lacking: lacked, missing }, anomalies };
  },
  stored: subnetStored,
  quotaSources: {
    used: 'TotalIpAddressCount less AvailableIpAddressCount of DescribeSubnets',
    remaining: 'AvailableIpAddressCount of DescribeSubnets',
    limit: 'TotalIpAddressCount of DescribeSubnets',
  },
  launchFacts: (record) => ({ subnets: subnetFacts(record) }),
});

const groupStored = recordSchema('DescribeDisasterRecoverGroups', {
  target: { placementGroups: z.array(text) },
  durable,
  snapshot: snapshotSchema({ quotas: uniqueQuotas(quotaSchema), lacking }),
});
type PlacementGroupRecord = Stored<typeof groupStored>;

const groupSet = {
  name: 'DisasterRecoverGroupSet',
  noun: 'placement groups',
  id: z.object({ DisasterRecoverGroupId: printableText }),
  schema: z
    .object({ DisasterRecoverGroupId: text, CvmQuotaTotal: count, CurrentNum: count })
    .transform((row) => ({
      type: 'placement_group_instances',
      zone: null,
      unit: 'instances',
      labels: { placement_group_id: row.DisasterRecoverGroupId },
      used: row.CurrentNum,
      remaining: row.CvmQuotaTotal - row.CurrentNum,
      limit: row.CvmQuotaTotal,
    })),
};

/** Maximum number of IDs in a request. */
const maxGroups = 10;
/** The code for an ID that the service does not know. */
const groupCodes = ['InvalidParameterValue.DisasterRecoverGroupIdMalformed'];

const groupsIn = ({ placementGroups }: PlacementGroupRecord['target']) => placementGroups;
const ofGroups = resourcesOf<PlacementGroupRecord>(
  {
    label: 'placement_group_id',
    name: 'placement group instances',
    type: 'placement_group_instances',
    zones: [],
  },
  groupsIn,
);

export const placementGroupCollector = defineCollector<
  PlacementGroupRecord,
  typeof launchConfiguration
>({
  ...ofGroups.members,
  ...neededByLaunches(groupsIn, (place, launches) => {
    const needed = launches.flatMap((launch) => launch.placementGroups ?? []);
    const placementGroups = [...new Set(needed)].toSorted();
    return { ...place, operation: 'DescribeDisasterRecoverGroups', placementGroups };
  }),
  kind: 'placement-group',
  operation: 'DescribeDisasterRecoverGroups',
  service: cvm,
  noun: groupSet.noun,
  poll: async (ask, { placementGroups: ids }) => {
    const name = 'DisasterRecoverGroupIds';
    const reading = await readByIds(ask, name, ids, groupCodes, groupSet, maxGroups);
    const { anomalies, lacking: lacked, missing, rows } = reading;
    const quotas = rows.map(({ row }) => row);
    return { snapshot: { quotas, lacking: lacked, missing }, anomalies };
  },
  stored: groupStored,
  quotaSources: {
    used: 'CurrentNum of DescribeDisasterRecoverGroups',
    remaining: 'CvmQuotaTotal less CurrentNum of DescribeDisasterRecoverGroups',
    limit: 'CvmQuotaTotal of DescribeDisasterRecoverGroups',
  },
  launchFacts: (record) => ({ placementGroups: ofGroups.presences(record) }),
});
