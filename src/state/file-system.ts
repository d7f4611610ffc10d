/** The few calls that the file store makes to a file system. A test can let each of them fail. */
import { codeOf, messageOf } from '../model/errors.ts';
import { constants } from 'node:fs';
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  rename,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file exists, and it cannot be the one that is looked for. No system call failed. */
export class UnfitFileError extends Error {}

/** Every failure is an Error, with the code of the system call where there was one. */
export interface FileSystem {
  /** Creates a directory and those above it. Succeeds when it exists. */
  makeDirectory(path: string): Promise<void>;
  /** The names in a directory. */
  list(path: string): Promise<readonly string[]>;
  /**
   * The text of a file.
   *
   * @throws UnfitFileError when it is not a regular file of at most `maxBytes`
   */
  read(path: string, maxBytes: number): Promise<string>;
  /** Writes the whole content of a file, which is on the disk when it resolves. Not atomic. */
  write(path: string, text: string): Promise<void>;
  /** Gives a file a second name. Fails with `EEXIST` where that is taken. */
  link(from: string, to: string): Promise<void>;
  /** Renames atomically, replacing what was there. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes names that were created, replaced or removed durable. */
  syncDirectory(path: string): Promise<void>;
  /** When the content was last written, by the clock of the file system; milliseconds. */
  modifiedAtMs(path: string): Promise<number>;
  /** Writes a file's text again, so that its time moves; `false` when it holds another text. */
  touch(path: string, text: string): Promise<boolean>;
}

/** With `O_DSYNC` the write itself ends when the disk has the data, so no separate fsync is needed. */
const writeDurably = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC;
/** Without `O_NONBLOCK`, opening a named pipe waits forever. */
const readWithoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;

/** The errors of link(2) and fsync(2) on file systems that do not support them. */
const unsupported: ReadonlySet<unknown> = new Set(['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP']);

/**
 * The file system of the machine. Always asynchronous: a call to a network volume may never return if its
 * server is gone. It then blocks one thread of the pool, and not the process.
 */
export const nodeFileSystem: FileSystem = {
  makeDirectory,
  list: (path) => readdir(path),
  async read(path, maxBytes) {
    const file = await open(path, readWithoutWaiting);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new UnfitFileError('not a regular file');
      if (stats.size > maxBytes) throw new UnfitFileError(`larger than ${maxBytes} bytes`);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  },
  write: (path, text) => writeFile(path, text, { flag: writeDurably }),
  async link(from, to) {
    try {
      await link(from, to);
    } catch (error) {
      if (!unsupported.has(codeOf(error))) throw error;
      await copyFile(from, to, constants.COPYFILE_EXCL);
    }
  },
  rename,
  remove: unlink,
  async syncDirectory(path) {
    const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await directory.sync();
    } catch (error) {
      if (!unsupported.has(codeOf(error))) throw error;
    } finally {
      await directory.close();
    }
  },
  modifiedAtMs: async (path) => (await stat(path)).mtimeMs,
  async touch(path, text) {
    // One handle for reading and writing: another file may take the name in between, and must not be
    // written to.
    const file = await open(path, 'r+');
    try {
      if ((await file.readFile('utf8')) !== text) return false;
      await file.write(text, 0);
      return true;
    } finally {
      await file.close();
    }
  },
};

/**
 * Node's own `recursive` never ends where a parent exists and refuses with `ENOENT`, as `/proc` does. A directory
 * that is there costs one call.
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path) {
      unlessThere(error);
      return;
    }
    await makeDirectory(parent);
    await mkdir(path).catch(unlessThere);
  }
}

/** A file of that name is there too. The next call then fails with `ENOTDIR`. */
function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

const advice: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space, or enlarge the volume',
  EDQUOT: 'free some space, or raise the disk quota of the user of the daemon',
  EROFS: 'mount the file system writable',
  EACCES: 'let the user of the daemon write to the directory',
  EPERM: 'let the user of the daemon write to the directory',
  ENOTDIR: 'let the path lead to a directory',
  EEXIST: 'let the path lead to a directory',
  EIO: 'look into the kernel log for a failing disk',
  EMFILE: 'let the daemon open more files',
  ETIMEDOUT: 'look for a disk or a network volume that does not answer',
};

/** The failure of a call to the file system, and how to correct it. */
export function explainFailure(error: unknown): string {
  const message = messageOf(error);
  const todo = advice[String(codeOf(error))] ?? 'it is tried again';
  return `${message}; ${todo}`;
}
