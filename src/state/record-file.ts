/** The file of one record: its name, and its text in a versioned schema. */
import { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { jsonOf } from '../model/json.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

/** The version of the form. It rises when records of the last form cannot be read without a conversion. */
const formatVersion = 2;

/** The name of the file of a target's record. A key is a safe file name, and two targets never share one. */
export function recordFileName(target: Target): string {
  return `${targetKey(target)}.json`;
}

const fileSchema = z.object({ version: z.int().positive(), record: z.unknown() });
/** The schema of its kind reads the rest of a record. */
const recordSchema = z.looseObject({ target: z.looseObject({ operation: z.string() }) });

/** The text of a record's file. The counters of polls are left out: they begin at 0 with each process. */
export function formatRecord(record: TargetRecord): string {
  const { lastPoll, lastSuccessAtMs, failure } = record.seen.freshness;
  const seen = { ...record.seen, freshness: { lastPoll, lastSuccessAtMs, failure } };
  return `${JSON.stringify({ version: formatVersion, record: { ...record, seen } })}\n`;
}

/** Whether a text is a record of an older form, which no release wrote. */
export function isOldForm(fileText: string): boolean {
  const version = /^\{"version":(\d+),/.exec(fileText)?.[1];
  return version !== undefined && Number(version) < formatVersion;
}

/**
 * The record of a file's text.
 *
 * @throws Error with the reason why the text is not a record of this version
 */
export function parseRecord(fileText: string, collectors: CollectorSet): TargetRecord {
  const file = fileSchema.safeParse(jsonOf(fileText));
  if (!file.success) throw new Error('not a stored record, or cut off');
  const { version } = file.data;
  if (version !== formatVersion) {
    throw new Error(`its form is ${version}, this version reads ${formatVersion}`);
  }
  const record = recordSchema.safeParse(file.data.record);
  if (!record.success || !collectors.knows(record.data.target)) {
    throw new Error('not a stored record: it has no target that this version knows');
  }
  const result = collectors.of(record.data.target).stored.safeParse(record.data);
  if (!result.success) {
    const [{ message, path } = { message: '', path: [] }] = result.error.issues;
    throw new Error(`not a stored record: record.${path.join('.')}: ${message}`);
  }
  const { counted, target } = result.data;
  if (counted.recentChanges.every(({ operation }) => operation === target.operation)) {
    return result.data;
  }
  throw new Error('not a stored record: a change is of another operation than its target');
}
