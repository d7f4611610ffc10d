/** The free addresses of the subnets that launches of a region need: DescribeSubnets of vpc. */
import { z } from 'zod';
import type { Parameter } from '../../api/request.ts';
import {
  compareQuotas,
  forgetQuotas,
  keepSelected,
  quotaChangeTexts,
} from '../../model/quota-history.ts';
import { defineCollector } from '../collector.ts';
import { launchesOfTemplates } from '../launch-template/launch-template.ts';
import {
  areLaunchesJudged,
  askInHalves,
  configuredTypes,
  launchAccountKeys,
  launchEveryRegionKeys,
  launchRegionKeys,
} from '../launches.ts';
import { readList, type ListSet } from '../paging.ts';
import { zoneName } from '../place-names.ts';
import { boundedMissing } from '../rows.ts';
import { vpc } from '../services.ts';
import {
  count,
  quota,
  quotaHistory,
  recordSchema,
  snapshotSchema,
  text,
  type Stored,
} from '../../model/stored.ts';

const operation = 'DescribeSubnets';
const type = 'subnet_addresses';

const subnetSnapshot = snapshotSchema({
  /** The readable subnets. A subnet lies in one zone. */
  quotas: z.array(quota.extend({ zone: text.min(1), labels: z.object({ subnet_id: text }) })),
  /** Those that a complete answer does not name, or that the service refuses. */
  absent: z.array(text),
});

const storedSubnetRecord = recordSchema(operation, {
  target: { subnets: z.array(text) },
  counted: {
    /** The subnets of the last answer. One that was not asked before is not new. */
    asked: z.array(text),
    histories: z.array(quotaHistory),
  },
  snapshot: subnetSnapshot,
});

type SubnetRecord = Stored<typeof storedSubnetRecord>;
type SubnetTarget = SubnetRecord['target'];

const rowSchema = z
  .object({
    SubnetId: text,
    Zone: zoneName,
    AvailableIpAddressCount: count,
    TotalIpAddressCount: count,
  })
  .refine((row) => row.AvailableIpAddressCount <= row.TotalIpAddressCount, {
    error: 'more addresses are free than there are',
  });

const idSchema = z.object({ SubnetId: text });

/** @param ids the subnets that are asked for. Other rows are dropped */
function subnetSet(ids: readonly string[]): ListSet<typeof rowSchema> {
  return {
    name: 'SubnetSet',
    schema: rowSchema,
    nameOf: (row) => idSchema.safeParse(row).data?.SubnetId ?? null,
    isWanted: (id) => ids.includes(id),
    maxRows: 1_000,
    noun: 'subnets',
    advice: 'name fewer',
  };
}

/** The codes of a subnet that does not exist, or that belongs to another account. */
const refusals = [
  'ResourceNotFound',
  'InvalidParameterValue.Malformed',
  'UnsupportedOperation.AppIdMismatch',
];

const hasId =
  (ids: readonly string[]) =>
  (each: { readonly labels?: Readonly<Record<string, string>> | undefined }) =>
    ids.includes(each.labels?.['subnet_id'] ?? '');

export const subnetCollector = defineCollector<
  SubnetRecord,
  typeof launchAccountKeys,
  typeof launchRegionKeys
>({
  kind: 'subnet',
  operation,
  service: vpc,
  noun: 'subnets',
  follows: ['DescribeLaunchTemplateVersions'],
  resourceLabels: ['subnet_id'],
  configuration: {
    account: launchAccountKeys,
    region: launchRegionKeys,
    everyRegion: launchEveryRegionKeys,
    nothing: 'no region names subnets',
  },
  changeTexts: quotaChangeTexts,
  plan: (settings, records) => {
    const { account, region, regionKeys } = settings;
    const areJudged = areLaunchesJudged(settings);
    if (!areJudged && regionKeys.subnets.length === 0) return [];
    const launches = areJudged
      ? [...launchesOfTemplates(records), ...configuredTypes(regionKeys)]
      : [];
    const needed = launches.flatMap(({ subnets }) => subnets ?? []);
    const subnets = [...new Set([...regionKeys.subnets, ...needed])].toSorted();
    return [{ account, region, operation, subnets }];
  },
  details: ({ subnets }) => subnets.slice(0, 5).join(', '),
  requests: '1 request for each 100 subnets of default versions, instance_types and subnets',
  poll: async (call, { region, subnets }, context) => {
    const { answers, refused } = await askInHalves(subnets, refusals, async (ids) => {
      const parameters = ids.map((id, i): Parameter => [`SubnetIds.${i}`, id]);
      const request = { ...vpc, action: operation, region, parameters };
      const reading = await readList(call, request, subnetSet(ids), context);
      const isWhole = reading.unidentified === 0 && reading.lacks.length === 0;
      const unnamed = ids.filter((id) => !reading.names.includes(id));
      return { ...reading, unnamed: isWhole ? unnamed : [] };
    });
    const gone = answers.flatMap(({ unnamed }) => unnamed);
    return {
      snapshot: {
        quotas: answers.flatMap(({ rows }) => rows.map(({ row }) => quotaOf(row))),
        absent: [...refused.map(({ name }) => name), ...gone],
        missing: boundedMissing([
          ...refused.map(({ code, name }) => `${name}: refused with ${code}`),
          ...gone.map((id) => `${id}: not in the answer`),
          ...answers.flatMap(({ lacks }) => lacks),
        ]),
      },
      anomalies: answers.flatMap(({ anomalies }) => anomalies),
    };
  },
  newCounted: { asked: [], histories: [] },
  continueRecord,
  forget: (counted) => ({ ...counted, asked: [], histories: forgetQuotas(counted.histories) }),
  compare: ({ counted, seen, target: { subnets } }, { absent, quotas }, nowMs) => {
    const compared = compareQuotas(
      counted.histories,
      seen.snapshot?.quotas ?? [],
      {
        quotas,
        unreadable: [],
        isWhole: hasId([...absent, ...quotas.map(({ labels }) => labels.subnet_id)]),
        wasAsked: hasId(counted.asked),
      },
      nowMs,
    );
    const { differences, histories } = compared;
    return { counted: { ...counted, asked: subnets, histories }, differences };
  },
  stored: storedSubnetRecord,
  quotaSources: {
    used: 'TotalIpAddressCount less AvailableIpAddressCount of DescribeSubnets',
    remaining: 'AvailableIpAddressCount of DescribeSubnets',
    limit: 'TotalIpAddressCount of DescribeSubnets',
    limitFields: 'TotalIpAddressCount of DescribeSubnets',
  },
  quotas: ({ seen }) => seen.snapshot?.quotas ?? [],
  reportableQuotas: ({ subnets }) => (subnets.length === 0 ? [] : [{ type, zones: null }]),
  histories: ({ counted, target: { subnets } }) => counted.histories.filter(hasId(subnets)),
  launchFacts: ({ seen: { snapshot } }) => ({
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

function quotaOf(row: z.output<typeof rowSchema>) {
  const { AvailableIpAddressCount: remaining, TotalIpAddressCount: limit, SubnetId, Zone } = row;
  const labels = { subnet_id: SubnetId };
  return { type, zone: Zone, unit: 'addresses', labels, used: limit - remaining, remaining, limit };
}

/** Subnets that are no longer asked for are removed from the snapshot. Their counters are kept. */
function continueRecord({ counted, seen }: SubnetRecord, next: SubnetTarget): SubnetRecord {
  const isAsked = hasId(next.subnets);
  const { snapshot } = seen;
  return {
    target: next,
    counted: {
      ...counted,
      asked: counted.asked.filter((id) => next.subnets.includes(id)),
      histories: keepSelected(counted.histories, isAsked),
    },
    seen: {
      ...seen,
      snapshot: snapshot && {
        ...snapshot,
        quotas: snapshot.quotas.filter(isAsked),
        absent: snapshot.absent.filter((id) => next.subnets.includes(id)),
      },
    },
  };
}
