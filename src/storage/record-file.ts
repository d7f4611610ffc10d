/** The file of one record: its name, its text in a versioned schema, and the calls that read and write it. */
import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { codeOf } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

/** The form of the texts that this version writes and reads. A text that only a later version can read has a higher one. */
const formatVersion = 1;

/** A text is a record of a form above {@link formatVersion}: it is not damaged, and must stay where it is. */
export class NewerFormError extends Error {
  readonly form: number;

  constructor(form: number) {
    super(`its form is ${form}, and this version reads form ${formatVersion}`);
    this.name = 'NewerFormError';
    this.form = form;
  }
}

/** The name of the file of a target's record. A key is a safe file name, and two targets never share one. */
export function recordFileName(target: Target): string {
  return `${targetKey(target)}.json`;
}

const fileSchema = z.object({ version: z.int().positive(), record: z.unknown().optional() });
/** The schema of its kind reads the rest of a record. */
const recordSchema = z.looseObject({ target: z.looseObject({ operation: z.string() }) });

/** The text of a record's file. The counters of polls are left out: they begin at 0 with each process. */
export function formatRecord(record: TargetRecord): string {
  const { lastPoll, lastSuccessAtMs, failure } = record.observed.freshness;
  const observed = { ...record.observed, freshness: { lastPoll, lastSuccessAtMs, failure } };
  return `${JSON.stringify({ version: formatVersion, record: { ...record, observed } })}\n`;
}

/**
 * The record of a file's text.
 *
 * @throws NewerFormError when only a newer version can read it
 * @throws Error with the reason why it is damaged
 */
export function parseRecord(fileText: string, collectors: CollectorSet): TargetRecord {
  const file = fileSchema.safeParse(parseJson(fileText));
  if (!file.success) throw new Error('not a stored record, or cut off');
  if (file.data.version > formatVersion) throw new NewerFormError(file.data.version);
  const record = recordSchema.safeParse(file.data.record);
  if (!record.success || !collectors.has(record.data.target)) {
    throw new Error('not a stored record: it has no target that this version knows');
  }
  const result = collectors.of(record.data.target).stored.safeParse(record.data);
  if (!result.success) {
    const [{ message, path } = { message: '', path: [] }] = result.error.issues;
    throw new Error(`not a stored record: record.${path.join('.')}: ${message}`);
  }
  const { durable, target } = result.data;
  if (durable.recentChanges.every(({ operation }) => operation === target.operation)) {
    return result.data;
  }
  throw new Error('not a stored record: a change is of another operation than its target');
}

/** With `O_DSYNC` the write itself ends when the disk has the data, so no separate fsync is needed. */
const durably = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC;
/** Without `O_NONBLOCK`, opening a named pipe waits forever. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;
/** A larger file is no record: the largest that a target can have is far below. */
const maxFileBytes = 8 * 1024 * 1024;

/**
 * The text of a file, and when it was last written by the clock of the file system. It is read through an open handle:
 * so it is the present one on a network volume too. What is not a regular file of
 * at most 8 MiB has an empty text.
 */
export async function readText(path: string) {
  const file = await open(path, withoutWaiting);
  try {
    const stats = await file.stat();
    const isText = stats.isFile() && stats.size <= maxFileBytes;
    return { text: isText ? await file.readFile('utf8') : '', modifiedAtMs: stats.mtimeMs };
  } finally {
    await file.close();
  }
}

/** Writes the whole content of a file, which only this user may read. It is on the disk when it resolves. */
export function writeText(path: string, text: string): Promise<void> {
  return writeFile(path, text, { flag: durably, mode: 0o600 });
}

/** Makes names that were created, replaced or removed durable, where the file system can. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error;
  } finally {
    await directory.close();
  }
}
