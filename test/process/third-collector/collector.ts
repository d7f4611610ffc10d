/**
 * A third kind of target, of another service and of an operation that is made up: how large the disks of a type may be in
 * all, and whether new ones are encrypted. The walk in CONTRIBUTING.md goes through this file; a kind
 * of the program has a folder in src/collectors/, with a file for what it asks and one for the answer.
 */
import { z } from 'zod';
import { readFields, type ServiceResponse } from '../../../src/api/response.ts';
import { defineCollector } from '../../../src/collectors/collector.ts';
import {
  count,
  quota,
  quotaHistory,
  recordSchema,
  snapshotSchema,
  text,
  type Stored,
} from '../../../src/model/stored.ts';
import { counter, gauges } from '../../../src/model/metric-family.ts';
import type { PollAnswer } from '../../../src/model/poll-outcome.ts';
import {
  compareQuotas,
  forgetQuotas,
  quotaChangeTexts,
  wholeReading,
} from '../../../src/model/quota-history.ts';
import { uniqueBy } from '../../../src/validation/unique.ts';

const operation = 'DescribeDiskQuota';
/** Host, signature and version of its requests follow from the service. */
const service = { service: 'cbs', version: '2017-03-12' };

// 1. What is stored: a target, what is counted, and what was seen. The types are inferred.

const diskSnapshot = snapshotSchema({ size: quota, isEncrypted: z.boolean() });
type DiskSnapshot = Stored<typeof diskSnapshot>;

const storedDiskRecord = recordSchema(operation, {
  target: { resource: z.object({ disk_type: text }), project: count },
  counted: {
    histories: z.array(quotaHistory),
    /** `null` until it is known, or when it was another account's. */
    wasEncrypted: z.boolean().nullable(),
    encryptionChanges: count,
  },
  snapshot: diskSnapshot,
});
type DiskRecord = Stored<typeof storedDiskRecord>;

// 2. What is configured.

const accountKeys = z.object({
  disk_project: z.int().nonnegative().default(0).describe('The project whose disks count.'),
});

const regionKeys = z.object({
  disk_types: z
    .array(z.enum(['CLOUD_PREMIUM', 'CLOUD_SSD', 'CLOUD_TSSD']))
    .check(uniqueBy('disk type', (type) => type))
    .default([])
    .describe('The types of disks that are watched.'),
});

function regionProblems(name: string, { disk_types }: z.output<typeof regionKeys>) {
  const at = disk_types.indexOf('CLOUD_TSSD');
  if (at === -1 || name !== 'ap-singapore') return [];
  return [{ path: ['disk_types', at], message: 'is not sold in ap-singapore' }];
}

// 3. How an answer is read.

const answerSchema = z.object({ Used: count, Limit: count, Encrypted: z.boolean() });

function readDisks(response: ServiceResponse, diskType: string): PollAnswer<DiskSnapshot> {
  const { Used: used, Limit: limit, Encrypted } = readFields(response, answerSchema);
  const type = `disk-${diskType}`;
  const size = { type, zone: null, unit: 'gibibytes', used, remaining: limit - used, limit };
  return {
    snapshot: { missing: [], size, isEncrypted: Encrypted },
    anomalies: [],
  };
}

// 4. What is compared.

const wordOf = (isEncrypted: boolean) => (isEncrypted ? 'on' : 'off');

function compare(
  { counted, seen }: DiskRecord,
  { isEncrypted, size }: DiskSnapshot,
  nowMs: number,
) {
  const { wasEncrypted } = counted;
  const last = seen.snapshot === null ? [] : [seen.snapshot.size];
  const { histories } = counted;
  const reading = wholeReading(histories, [size]);
  const compared = compareQuotas(histories, last, reading, nowMs);
  const isSwitched = wasEncrypted !== null && wasEncrypted !== isEncrypted;
  const switched = {
    kind: 'disk-encryption-switched',
    from: wordOf(!isEncrypted),
    to: wordOf(isEncrypted),
  };
  return {
    counted: {
      ...counted,
      histories: compared.histories,
      wasEncrypted: isEncrypted,
      encryptionChanges: counted.encryptionChanges + (isSwitched ? 1 : 0),
    },
    differences: [...compared.differences, ...(isSwitched ? [switched] : [])],
  };
}

// 5. All of it together, with what is shown.

export const diskCollector = defineCollector<DiskRecord, typeof accountKeys, typeof regionKeys>({
  kind: 'disk',
  operation,
  service,
  noun: 'disks',
  resourceLabels: ['disk_type'],
  configuration: {
    account: accountKeys,
    region: regionKeys,
    nothing: 'no region names disk_types',
  },
  regionProblems,
  plan: ({ account, region, accountKeys: { disk_project: project }, regionKeys: { disk_types } }) =>
    disk_types.map((disk_type) => ({
      account,
      region,
      operation,
      resource: { disk_type },
      project,
    })),
  details: ({ project }) => `project ${project}`,
  poll: (call, { region, resource: { disk_type }, project }, context) => {
    const parameters = [
      ['DiskType', disk_type],
      ['ProjectId', String(project)],
    ] as const;
    return call(
      { ...service, action: operation, region, parameters },
      (response) => readDisks(response, disk_type),
      context,
    );
  },
  newCounted: { histories: [], wasEncrypted: null, encryptionChanges: 0 },
  forget: (counted) => ({
    ...counted,
    histories: forgetQuotas(counted.histories),
    wasEncrypted: null,
  }),
  compare,
  changeTexts: {
    ...quotaChangeTexts,
    'disk-encryption-switched': ({ from, to }) =>
      `encryption went from ${from ?? ''} to ${to ?? ''}`,
  },
  stored: storedDiskRecord,
  families: [
    gauges(
      'cvm_disk_encryption_enabled',
      'Whether new disks are encrypted: Encrypted of DescribeDiskQuota, 1 or 0.',
      ({ isEncrypted }) => Number(isEncrypted),
    ),
    counter(
      'cvm_disk_encryption_changes_total',
      'How often Encrypted of DescribeDiskQuota differed from the previous successful poll.',
      ({ encryptionChanges }) => encryptionChanges,
    ),
  ],
  quotas: ({ seen: { snapshot } }) => (snapshot === null ? [] : [snapshot.size]),
  reportableQuotas: ({ resource }) => [{ type: `disk-${resource.disk_type}`, zones: [] }],
  histories: ({ counted }) => counted.histories,
  quotaNote: () => 'of one project',
  quotaSources: {
    used: 'Used of DescribeDiskQuota',
    remaining: 'Limit less Used of DescribeDiskQuota',
    limit: 'Limit of DescribeDiskQuota',
    limitFields: 'Limit of DescribeDiskQuota',
  },
  json: ({ size: { used, limit }, isEncrypted }) => ({ used, limit, encrypted: isEncrypted }),
  table: {
    id: 'disks',
    title: 'Disks',
    nameLabel: 'Disk type',
    empty: 'No disk type is configured.',
    columns: [{ label: 'Encryption' }],
    cells: ({ seen: { snapshot } }) => [snapshot && { text: wordOf(snapshot.isEncrypted) }],
  },
});
