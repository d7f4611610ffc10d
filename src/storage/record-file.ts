/**
 * The file of one record: its name, its text in a versioned form, and the calls with which `file-store.ts` reads and writes
 * it. `lock.ts` reads locks with them. The store in Redis (`cluster/redis-store.ts`) keeps the same text.
 */
import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { codeOf } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { StoreError } from './store-error.ts';

/** The form of the texts that this version writes and reads. A text that only a later version can read has a higher one. */
const currentForm = 1;

/** The name of a target's file: its key with `.json`. A key is a safe file name, and no two targets have the same. */
export function recordFileName(target: Target): string {
  return `${targetKey(target)}.json`;
}

/** `version` is the form. */
const fileSchema = z.object({ version: z.int().positive(), record: z.unknown().optional() });
/** The part of a record that says its kind. The schema of the kind then reads the whole record. */
const recordSchema = z.looseObject({ target: z.looseObject({ operation: z.string() }) });

/** A record as one line of JSON, without the counters of polls, which begin at 0 with each process. */
export function formatRecord(record: TargetRecord): string {
  const { lastPoll, lastSuccessAtMs, failure } = record.observed.freshness;
  const observed = { ...record.observed, freshness: { lastPoll, lastSuccessAtMs, failure } };
  return `${JSON.stringify({ version: currentForm, record: { ...record, observed } })}\n`;
}

/**
 * Reads what {@link formatRecord} has written.
 *
 * @param place the file or the key that has the text
 * @throws StoreError `newer-form` when only a newer version can read it: it is not damaged, and must stay where it is
 * @throws Error with the reason why it is damaged
 */
export function parseRecord(fileText: string, collectors: CollectorSet, place: string) {
  const file = fileSchema.safeParse(parseJson(fileText));
  if (!file.success) throw new Error('not a stored record, or cut off');
  const { version: form } = file.data;
  if (form > currentForm) {
    const reason = `a newer version of this program wrote it, in form ${form}`;
    const todo = 'start that version, or use another storage';
    throw new StoreError('newer-form', `the record ${place} cannot be read: ${reason}; ${todo}`);
  }
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
const durableWrite = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC;
/** Without `O_NONBLOCK`, opening a named pipe would wait forever. */
const nonBlockingRead = constants.O_RDONLY | constants.O_NONBLOCK;
/** The largest record that a target can have is far smaller, so a larger file is no record. */
const maxFileBytes = 8 * 1024 * 1024;

/**
 * Reads a record or a lock. A network volume may answer from its cache when asked by path, so both text and time are
 * read through an open handle.
 *
 * @returns the text, which is empty for anything but a regular file of at most 8 MiB; and when the file was last
 *   written, by the clock of the file system
 */
export async function readText(path: string) {
  const file = await open(path, nonBlockingRead);
  try {
    const stats = await file.stat();
    const isText = stats.isFile() && stats.size <= maxFileBytes;
    return { text: isText ? await file.readFile('utf8') : '', modifiedAtMs: stats.mtimeMs };
  } finally {
    await file.close();
  }
}

/**
 * Writes a file that only this user may read. The data is on the disk when the promise resolves. It is cut off first, so a
 * process that dies leaves a part of the text: write a temporary file, then rename it.
 */
export function writeText(path: string, text: string): Promise<void> {
  return writeFile(path, text, { flag: durableWrite, mode: 0o600 });
}

/** Makes created, renamed and removed names of a directory durable, where the file system supports that. */
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
