/** The calls of the file store to a file system. */
import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../model/errors.ts';

/** A file that cannot be a record or a lock, such as a directory. No system call failed. */
export class UnfitFileError extends Error {}

/** With `O_DSYNC` the write itself ends when the disk has the data, so no separate fsync is needed. */
const durably = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC;
/** Without `O_NONBLOCK`, opening a named pipe waits forever. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;
/** A larger file is no record: the largest that a target can have is far below. */
const maxFileBytes = 8 * 1024 * 1024;
/** The errors of link(2) and fsync(2) on file systems that do not support them. */
const unsupported: ReadonlySet<unknown> = new Set(['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP']);

export interface TextFile {
  readonly text: string;
  /** When the content was last written, by the clock of the file system. */
  readonly modifiedAtMs: number;
}

/**
 * The text of a file. A file that is opened is the present one on a network volume too.
 *
 * @throws UnfitFileError when it is not a regular file of at most 8 MiB
 */
export async function readText(path: string): Promise<TextFile> {
  const file = await open(path, withoutWaiting);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new UnfitFileError('not a regular file');
    if (stats.size > maxFileBytes) throw new UnfitFileError(`larger than ${maxFileBytes} bytes`);
    return { text: await file.readFile('utf8'), modifiedAtMs: stats.mtimeMs };
  } finally {
    await file.close();
  }
}

/** Writes the whole content of a file, which only this user may read. It is on the disk when it resolves. */
export function writeText(path: string, text: string): Promise<void> {
  return writeFile(path, text, { flag: durably, mode: 0o600 });
}

/** Gives a file a second name. Fails with `EEXIST` where that is taken. */
export async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!unsupported.has(codeOf(error))) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/** Writes a file's text again, so that its time moves; `false` when it holds another text. */
export async function touchFile(path: string, text: string): Promise<boolean> {
  // One handle for reading and writing: another file may take the name in between, and must not be written to.
  const file = await open(path, 'r+');
  try {
    if ((await file.readFile('utf8')) !== text) return false;
    await file.write(text, 0);
    return true;
  } finally {
    await file.close();
  }
}

/** Makes names that were created, replaced or removed durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } catch (error) {
    if (!unsupported.has(codeOf(error))) throw error;
  } finally {
    await directory.close();
  }
}

/**
 * Creates a directory and those above it. Node's own `recursive` never ends where a parent exists and refuses with
 * `ENOENT`, as `/proc` does.
 */
export async function makeDirectory(path: string): Promise<void> {
  const create = () =>
    mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  try {
    await create();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await create();
  }
}

const advice: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space, or enlarge the volume',
  EDQUOT: 'free some space, or raise the disk quota of the user of the daemon',
  EROFS: 'mount the file system writable',
  EACCES: 'let the user of the daemon read and write the directory',
  EPERM: 'let the user of the daemon read and write the directory',
  ENOENT: 'let the path lead to a directory that exists or can be created',
  ENOTDIR: 'let the path lead to a directory',
  EIO: 'look into the kernel log for a failing disk',
  EMFILE: 'let the daemon open more files',
  ETIMEDOUT: 'look for a disk or a network volume that does not answer',
};

/** The failure of a call to the file system, and what to do. */
export function explainFailure(error: unknown): string {
  const todo = advice[codeOf(error) ?? ''];
  return `${messageOf(error)}${todo === undefined ? '' : `; ${todo}`}`;
}
