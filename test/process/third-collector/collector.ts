/**
 * A third kind of target, of another service and of an operation that is made up: how large the disks of a type may be in
 * all, and whether new ones are encrypted. The walk in CONTRIBUTING.md goes through this file.
 */
import { z } from 'zod';
import { readFields, type ServiceResponse } from '../../../src/api/response.ts';
import { defineCollector } from '../../../src/collectors/collector.ts';
import { durableCounter, snapshotGauge } from '../../../src/model/metric-family.ts';
import { snapshotSchema, type PollAnswer } from '../../../src/model/poll-outcome.ts';
import { uniqueQuotas, quotaSchema } from '../../../src/model/quota.ts';
import { recordSchema } from '../../../src/model/record.ts';
import { count, text, type Stored } from '../../../src/model/stored.ts';
import { unique } from '../../../src/validation/unique.ts';

/** Host, signature and version of its requests follow from the service. */
const service = { service: 'cbs', version: '2017-03-12' };

// 1. What is stored: a target, what is counted, and what was seen. The types are inferred.

const diskSnapshot = snapshotSchema({
  quotas: uniqueQuotas(quotaSchema),
  isEncrypted: z.boolean(),
});
type DiskSnapshot = Stored<typeof diskSnapshot>;

const stored = recordSchema({
  target: { resource: z.object({ disk_type: text }), project: count },
  durable: {
    /** `null` until it is known. */
    wasEncrypted: z.boolean().nullable().default(null),
    encryptionChanges: count.default(0),
  },
  snapshot: diskSnapshot,
});
type DiskRecord = Stored<typeof stored>;

// 2. What is configured.

const configuration = {
  account: z.object({
    disk_project: z.int().nonnegative().default(0).describe('The project whose disks count.'),
  }),
  region: z.object({
    disk_types: z
      .array(z.enum(['CLOUD_PREMIUM', 'CLOUD_SSD', 'CLOUD_TSSD']))
      .check(unique('disk type'))
      .default([])
      .describe('The types of disks that are watched.'),
  }),
  emptyReason: 'no region names disk_types',
};

function regionProblems(name: string, { disk_types }: z.output<typeof configuration.region>) {
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
    snapshot: { missing: [], quotas: [size], isEncrypted: Encrypted },
    anomalies: [],
  };
}

// 4. What is compared, besides the quotas of the snapshot.

const wordOf = (isEncrypted: boolean) => (isEncrypted ? 'on' : 'off');

function compare({ durable }: DiskRecord, { isEncrypted }: DiskSnapshot) {
  const { wasEncrypted } = durable;
  const isSwitched = wasEncrypted !== null && wasEncrypted !== isEncrypted;
  const switched = {
    kind: 'disk-encryption-switched',
    from: wordOf(!isEncrypted),
    to: wordOf(isEncrypted),
  };
  return {
    durable: {
      wasEncrypted: isEncrypted,
      encryptionChanges: durable.encryptionChanges + (isSwitched ? 1 : 0),
    },
    differences: isSwitched ? [switched] : [],
  };
}

// 5. All of it together, with what is shown.

export const diskCollector = defineCollector<DiskRecord, typeof configuration>({
  kind: 'disk',
  operation: 'DescribeDiskQuota',
  service,
  noun: 'disks',
  resourceLabels: ['disk_type'],
  configuration,
  regionProblems,
  plan: ({ target, accountKeys: { disk_project: project }, regionKeys: { disk_types } }) =>
    disk_types.map((disk_type) => ({ ...target, resource: { disk_type }, project })),
  details: ({ project }) => `project ${project}`,
  poll: (ask, { target: { resource, project } }) => {
    const parameters = [
      ['DiskType', resource.disk_type],
      ['ProjectId', String(project)],
    ] as const;
    return ask(parameters, (response) => readDisks(response, resource.disk_type));
  },
  compare,
  changeTexts: {
    'disk-encryption-switched': 'encryption went from {from} to {to}',
  },
  stored,
  families: [
    snapshotGauge(
      'cvm_disk_encryption_enabled',
      'Whether new disks are encrypted: Encrypted of DescribeDiskQuota, 1 or 0.',
      ({ isEncrypted }) => Number(isEncrypted),
    ),
    durableCounter(
      'cvm_disk_encryption_changes_total',
      'How often Encrypted of DescribeDiskQuota differed from the previous successful poll.',
      ({ encryptionChanges }) => encryptionChanges,
    ),
  ],
  reportableQuotas: ({ resource }) => [{ type: `disk-${resource.disk_type}`, zones: [] }],
  quotaNote: () => 'of one project',
  quotaSources: {
    used: 'Used of DescribeDiskQuota',
    remaining: 'Limit less Used of DescribeDiskQuota',
    limit: 'Limit of DescribeDiskQuota',
  },
  json: ({ quotas: [size], isEncrypted }) => ({
    used: size?.used,
    limit: size?.limit,
    encrypted: isEncrypted,
  }),
  table: {
    id: 'disks',
    title: 'Disks',
    nameLabel: 'Disk type',
    columns: [{ label: 'Encryption' }],
    cells: ({ observed: { snapshot } }) => [snapshot ? [wordOf(snapshot.isEncrypted)] : []],
  },
});
