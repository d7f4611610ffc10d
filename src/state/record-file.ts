/** The file of one record: its name, and its text in a versioned schema. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

/** The version of the form. It rises when records of the last form cannot be read without a conversion. */
const formatVersion = 1;

export const recordFileSuffix = '.json';
/** A file name may have 255 bytes; the rest is for the suffixes of copies. */
const maxNameLength = 200;

/**
 * The name of the file of a target's record. Two targets never share one. For every key, the file is in the
 * directory.
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

/** The record is not copied: the schema of its kind reads it. */
const fileSchema = z.object({ version: z.int().positive(), record: z.unknown().optional() });
const targetSchema = z.object({ target: z.object({ operation: z.string() }) });

/** A record, and the text of its file. */
export interface RecordText {
  readonly record: TargetRecord;
  readonly text: string;
}

/** The text of a record's file. The counters of polls are left out: they begin at 0 with each process. */
export function formatRecord(record: TargetRecord): string {
  const { lastPoll, lastSuccessAtMs, failure } = record.seen.freshness;
  const seen = { ...record.seen, freshness: { lastPoll, lastSuccessAtMs, failure } };
  return `${JSON.stringify({ version: formatVersion, record: { ...record, seen } })}\n`;
}

/**
 * The record of a file's text.
 *
 * @throws Error with the reason why the text is not a record of this version
 */
export function parseRecord(fileText: string, collectors: CollectorSet): TargetRecord {
  let value: unknown;
  try {
    value = JSON.parse(fileText);
  } catch {
    throw new Error(fileText.trim() === '' ? 'empty' : 'not JSON: cut off or overwritten');
  }
  const file = fileSchema.safeParse(value);
  if (!file.success) throw new Error('not a stored record: it has no version');
  const { version, record: content } = file.data;
  if (version > formatVersion) {
    throw new Error(
      `written by a newer version: its form is ${version}, this version reads ${formatVersion}`,
    );
  }
  const found = targetSchema.safeParse(content);
  if (!found.success || !collectors.knows(found.data.target)) {
    throw new Error('not a stored record: it has no target that this version knows');
  }
  const result = collectors.of(found.data.target).stored.safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Error(
      `not a stored record: record.${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  }
  const record = result.data;
  if (record.counted.recentChanges.some(({ operation }) => operation !== record.target.operation)) {
    throw new Error('not a stored record: a change is of another operation than its target');
  }
  return record;
}
