/** The file of one record: its name, and its text in a versioned schema. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { changeKinds } from '../model/change.ts';
import { anomalyKinds } from '../model/poll-outcome.ts';
import type { TargetRecord } from '../model/record.ts';
import { quotaKey } from '../model/snapshot.ts';
import { quotaTypes, targetKey, type Target } from '../model/target.ts';

/** The form of the text. Raised when a record of the form before cannot be read as it stands. */
const formatVersion = 1;

export const recordFileSuffix = '.json';
/** A file may have 255 bytes in its name; the rest is for the suffixes of copies. */
const maxNameLength = 200;

/**
 * The name of the file of a target's record. Two targets never share one, and whatever a key holds,
 * the name stays within the directory.
 */
export function recordFileName(target: Target): string {
  const key = targetKey(target);
  const name = key.replaceAll(
    /[^A-Za-z0-9._@-]/g,
    (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (name.length <= maxNameLength) return name + recordFileSuffix;
  const hash = createHash('sha256').update(key).digest('hex');
  return `${name.slice(0, maxNameLength - hash.length - 1)}~${hash}${recordFileSuffix}`;
}

const text = z.string();
const count = z.int().nonnegative();
const limit = z.number().nonnegative();
const appId = count.nullable();
const missing = z.array(text);
const inventoryOf = <T extends z.ZodType>(name: T) => ({
  known: z.array(name),
  unidentified: count,
});
/** Within what a date can be. */
const timeMs = z.number().nonnegative().max(8.64e15);
const quotaType = z.enum(quotaTypes);
/** A zone without a name would be served as the whole region, and so stand twice. */
const zone = text.min(1).nullable();

const freshness = z.object({
  lastPoll: z.object({ atMs: timeMs, durationMs: z.number() }).nullable(),
  lastSuccessAtMs: timeMs.nullable(),
  failure: z
    .object({ code: text, message: text, requestId: text.nullable(), sinceMs: timeMs })
    .nullable(),
  polls: count,
  failures: z.record(text, count),
  anomalies: z.partialRecord(z.enum(anomalyKinds), count),
});

const change = z.object({
  kind: z.enum(changeKinds),
  atMs: timeMs,
  account: text,
  region: text,
  templateId: text,
  quotaType: quotaType.nullable(),
  zone,
  from: z.union([z.number(), text]).nullable(),
  to: z.union([z.number(), text]).nullable(),
});

const selection = z.object({
  quotaTypes: z.array(quotaType),
  zones: z.array(text).nullable(),
});

/** A quota that stands twice would become a series that stands twice. */
const isUnique = (quotas: readonly Parameters<typeof quotaKey>[0][]) =>
  new Set(quotas.map(quotaKey)).size === quotas.length;

const quotaRecord = z.object({
  kind: z.literal('quota'),
  target: z.object({
    account: text,
    region: text,
    operation: z.literal('DescribeAccountQuota'),
    selection,
  }),
  freshness,
  snapshot: z
    .object({
      kind: z.literal('quota'),
      appId,
      selection,
      quotas: z
        .array(
          z.object({
            type: quotaType,
            zone,
            used: limit,
            remaining: z.number(),
            limit,
            onceLimit: limit.nullable(),
          }),
        )
        .refine(isUnique),
      groupInstanceLimits: z
        .object({
          host: limit.nullable(),
          switch: limit.nullable(),
          rack: limit.nullable(),
        })
        .nullable(),
      rows: z.array(z.object({ type: quotaType, names: z.array(text), unidentified: count })),
      missing,
    })
    .nullable(),
  appId,
  inventory: z
    .object({
      selection,
      types: z.array(z.object({ type: quotaType, ...inventoryOf(text) })),
    })
    .nullable(),
  limits: z
    .array(
      z.object({
        type: quotaType,
        zone,
        limit: limit.nullable(),
        raised: count,
        lowered: count,
      }),
    )
    .refine(isUnique),
  recentChanges: z.array(change),
});

const launchTemplateRecord = z.object({
  kind: z.literal('launch-template'),
  target: z.object({
    account: text,
    region: text,
    operation: z.literal('DescribeLaunchTemplateVersions'),
    templateId: text,
  }),
  freshness,
  snapshot: z
    .object({
      kind: z.literal('launch-template'),
      appId,
      versions: z.array(count),
      unidentified: count,
      defaultVersion: z
        .object({ version: count, imageId: text, instanceType: text, chargeType: text })
        .nullable(),
      missing,
    })
    .nullable(),
  appId,
  inventory: z.object(inventoryOf(count)).nullable(),
  lastDefaultVersion: count.nullable(),
  defaultVersionChanges: count,
  defaultVersionChangedAtMs: timeMs.nullable(),
  versionsCreated: count,
  versionsDeleted: count,
  recentChanges: z.array(change),
});

const storedVersion = z.object({ version: z.int().positive() });
const storedRecord = z.object({
  record: z.discriminatedUnion('kind', [
    quotaRecord,
    launchTemplateRecord,
  ]) satisfies z.ZodType<TargetRecord>,
});

/** The text of a record's file. */
export function formatRecord(record: TargetRecord): string {
  return `${JSON.stringify({ version: formatVersion, record })}\n`;
}

/**
 * The record of a file's text.
 *
 * @throws Error whose message is the reason why the text is no record of this version
 */
export function parseRecord(fileText: string): TargetRecord {
  let value: unknown;
  try {
    value = JSON.parse(fileText);
  } catch {
    throw new Error(fileText.trim() === '' ? 'empty' : 'not JSON: cut off or overwritten');
  }
  const head = storedVersion.safeParse(value);
  if (!head.success) throw new Error('not a stored record: it has no version');
  const { version } = head.data;
  if (version > formatVersion) {
    throw new Error(
      `written by a newer version: its form is ${version}, this version reads ${formatVersion}`,
    );
  }
  const result = storedRecord.safeParse(value);
  if (result.success) return result.data.record;
  const [issue] = result.error.issues;
  throw new Error(`not a stored record: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
