/**
 * A third kind of target, of an operation that is made up: how large the disks of a type may be in
 * all, and whether new ones are encrypted. The walk in CONTRIBUTING.md goes through this file; a kind
 * of the program has a folder in src/collectors/, with a file for each part.
 */
import { z } from 'zod';
import type { ServiceCall } from '../../../src/api/call.ts';
import { readFields } from '../../../src/api/response.ts';
import { defineCollector } from '../../../src/collectors/collector.ts';
import {
  count,
  limitFields,
  recordFields,
  snapshotFields,
  target,
  text,
} from '../../../src/collectors/stored-fields.ts';
import {
  compareLimits,
  countLimitsFromZero,
  forgetLimits,
  limitChangeTexts,
  type LimitHistory,
} from '../../../src/model/limit-history.ts';
import { sampleOf } from '../../../src/model/metric-family.ts';
import type { PollAnswer, PollContext } from '../../../src/model/poll-outcome.ts';
import type { Quota } from '../../../src/model/quota.ts';
import { newRecordFields, type TargetRecord } from '../../../src/model/record.ts';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import type { Target } from '../../../src/model/target.ts';
import { uniqueBy } from '../../../src/validation/unique.ts';

const operation = 'DescribeDiskQuota';

// 1. What a target, a snapshot and a record of the kind are.

interface DiskTarget extends Target {
  readonly operation: typeof operation;
  readonly resource: { readonly disk_type: string };
  readonly project: number;
}

interface DiskSnapshot extends Snapshot {
  readonly kind: 'disk';
  readonly size: Quota;
  readonly isEncrypted: boolean;
}

interface DiskRecord extends TargetRecord {
  readonly kind: 'disk';
  readonly target: DiskTarget;
  readonly snapshot: DiskSnapshot | null;
  readonly limits: readonly LimitHistory[];
  /** `null` until it is known, or when it was another account's. */
  readonly wasEncrypted: boolean | null;
  readonly encryptionChanges: number;
}

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

// 3. What is asked, and how the answer is read.

const answerSchema = z.object({ Used: count, Limit: count, Encrypted: z.boolean() });

/** What host, signature and version of its requests follow from. */
const service = { service: 'cvm', version: '2017-03-12' };

function poll(
  call: ServiceCall,
  { region, resource, project }: DiskTarget,
  context: PollContext,
): Promise<PollAnswer<DiskSnapshot>> {
  const request = {
    ...service,
    action: operation,
    region,
    parameters: [
      ['DiskType', resource.disk_type],
      ['ProjectId', String(project)],
    ] as const,
  };
  return call(
    request,
    (response) => {
      const {
        Used: used,
        Limit: limit,
        Encrypted: isEncrypted,
      } = readFields(response, answerSchema);
      const type = `disk-${resource.disk_type}`;
      const size = { type, zone: null, unit: 'gibibytes', used, remaining: limit - used, limit };
      const snapshot = { kind: 'disk' as const, appId: null, missing: [], size, isEncrypted };
      return { snapshot, anomalies: [] };
    },
    context,
  );
}

// 4. What is compared, and what is stored.

const wordOf = (isEncrypted: boolean) => (isEncrypted ? 'on' : 'off');

function compare(record: DiskRecord, snapshot: DiskSnapshot, nowMs: number) {
  const { wasEncrypted } = record;
  const { isEncrypted } = snapshot;
  const { limits, differences } = compareLimits(record.limits, [snapshot.size], nowMs);
  const isSwitched = wasEncrypted !== null && wasEncrypted !== isEncrypted;
  const switched = {
    kind: 'disk-encryption-switched',
    from: wordOf(!isEncrypted),
    to: wordOf(isEncrypted),
  };
  return {
    record: {
      ...record,
      snapshot,
      limits,
      wasEncrypted: isEncrypted,
      encryptionChanges: record.encryptionChanges + (isSwitched ? 1 : 0),
    },
    differences: [...differences, ...(isSwitched ? [switched] : [])],
  };
}

const size = { type: text, zone: z.null(), unit: text };

const stored: z.ZodType<DiskRecord> = z.object({
  kind: z.literal('disk'),
  target: target.extend({
    operation: z.literal(operation),
    resource: z.object({ disk_type: text }),
    project: count,
  }),
  snapshot: z
    .object({
      kind: z.literal('disk'),
      ...snapshotFields,
      size: z.object({ ...size, used: count, remaining: z.int(), limit: count }),
      isEncrypted: z.boolean(),
    })
    .nullable(),
  limits: z.array(z.object({ ...size, ...limitFields })),
  wasEncrypted: z.boolean().nullable(),
  encryptionChanges: count,
  ...recordFields,
});

// 5. All of it together, with what is shown.

export const diskCollector = defineCollector({
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
  actions: ['name/cvm:DescribeDiskQuota'],
  isTarget: (each): each is DiskTarget => each.operation === operation,
  isSnapshot: (each): each is DiskSnapshot => each.kind === 'disk',
  isRecord: (each): each is DiskRecord => each.kind === 'disk',
  plan: ({ account, region, accountKeys: { disk_project: project }, regionKeys: { disk_types } }) =>
    disk_types.map((disk_type) => ({
      account,
      region,
      operation,
      resource: { disk_type },
      project,
    })),
  details: ({ project }) => `project ${project}`,
  poll,
  newRecord: (diskTarget): DiskRecord => ({
    kind: 'disk',
    target: diskTarget,
    ...newRecordFields,
    limits: [],
    wasEncrypted: null,
    encryptionChanges: 0,
  }),
  continueRecord: (record, diskTarget) => ({ ...record, target: diskTarget }),
  countFromZero: (record) => ({
    ...record,
    limits: countLimitsFromZero(record.limits),
    encryptionChanges: 0,
  }),
  forget: (record) => ({ ...record, limits: forgetLimits(record.limits), wasEncrypted: null }),
  compare,
  changeTexts: {
    ...limitChangeTexts,
    'disk-encryption-switched': ({ from, to }) =>
      `encryption went from ${from ?? ''} to ${to ?? ''}`,
  },
  stored,
  families: [
    {
      name: 'cvm_disk_encryption_enabled',
      type: 'gauge',
      help: 'Whether new disks are encrypted: Encrypted of DescribeDiskQuota, 1 or 0.',
      samples: ({ record: { snapshot }, isFresh }) =>
        sampleOf(isFresh && snapshot !== null ? Number(snapshot.isEncrypted) : null),
    },
    {
      name: 'cvm_disk_encryption_changes_total',
      type: 'counter',
      help: 'How often Encrypted of DescribeDiskQuota differed from the previous successful poll.',
      samples: ({ record }) => sampleOf(record.encryptionChanges),
    },
  ],
  quotaReport: {
    quotas: ({ snapshot }) => (snapshot === null ? [] : [snapshot.size]),
    reportable: ({ resource }) => [{ type: `disk-${resource.disk_type}`, zones: [] }],
    limits: ({ limits }) => limits,
    note: () => 'of one project',
    sources: {
      used: 'Used of DescribeDiskQuota',
      remaining: 'Limit less Used of DescribeDiskQuota',
      limit: 'Limit of DescribeDiskQuota',
      limitFields: 'Limit of DescribeDiskQuota',
    },
  },
  json: ({ size: { used, limit }, isEncrypted }) => ({ used, limit, encrypted: isEncrypted }),
  table: {
    id: 'disks',
    title: 'Disks',
    nameLabel: 'Disk type',
    empty: 'No disk type is configured.',
    columns: [{ label: 'Encryption' }],
    cells: ({ snapshot }) => [snapshot && { text: wordOf(snapshot.isEncrypted) }],
  },
});
