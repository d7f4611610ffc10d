/** The calls of the file store to a file system. */
import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { codeOf, messageOf } from '../model/errors.ts';

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

/** The failure of a call to the file system, and what to do. */
export function explainFailure(error: unknown): string {
  return `${messageOf(error)}; see that its volume answers and has room, and that the daemon may write there`;
}
