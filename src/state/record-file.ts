/** The file of one record: its name, and its text in a versioned schema. */
import { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

/** The version of the form. It rises when records of the last form cannot be read without a conversion. */
const formatVersion = 2;

/** The name of the file of a target's record. A key is a safe file name, and two targets never share one. */
export function recordFileName(target: Target): string {
  return `${targetKey(target)}.json`;
}

/** The record is not copied: the schema of its kind reads it. */
const fileSchema = z.object({ version: z.int().positive(), record: z.unknown().optional() });
const targetSchema = z.object({ target: z.object({ operation: z.string() }) });

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
  let value: unknown;
  try {
    value = JSON.parse(fileText);
  } catch {
    throw new Error(fileText.trim() === '' ? 'empty' : 'not JSON: cut off or overwritten');
  }
  const file = fileSchema.safeParse(value);
  if (!file.success) throw new Error('not a stored record: it has no version');
  const { version, record: content } = file.data;
  if (version !== formatVersion) {
    throw new Error(`its form is ${version}, this version reads ${formatVersion}`);
  }
  const found = targetSchema.safeParse(content);
  if (!found.success || !collectors.knows(found.data.target)) {
    throw new Error('not a stored record: it has no target that this version knows');
  }
  const result = collectors.of(found.data.target).stored.safeParse(content);
  if (result.success) return result.data;
  const [{ message, path } = { message: '', path: [] }] = result.error.issues;
  throw new Error(`not a stored record: record.${path.join('.')}: ${message}`);
}
