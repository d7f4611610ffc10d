/**
 * The store that keeps records as files of a directory: one per target, replaced whole by writing a temporary file and
 * renaming it, under a lock that keeps a second daemon out. The daemon opens it without `cluster`; with one, the import
 * of its files does.
 */
import { access, constants, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import { coalesce } from '../model/async.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import { takeLock, type Lock, type LockOptions } from './lock.ts';
import {
  formatRecord,
  parseRecord,
  readText,
  recordFileName,
  syncDirectory,
  writeText,
} from './record-file.ts';
import { StoreError } from './store-error.ts';

export interface FileStoreOptions extends LockOptions {
  readonly collectors: CollectorSet;
  readonly logger: Logger;
}

/** How many files a start reads side by side. */
const readsAtOnce = 16;
/** How many records are written side by side. */
const writesAtOnce = 2;
/** Maximum number of records that share one sync of the directory. */
const maxBatch = 64;

/** With these codes, one file cannot be opened: a link leads nowhere, or a socket is in its place. It counts as damaged. */
const unopenableCodes = ['ELOOP', 'ENOENT', 'ENOTDIR', 'ENXIO', 'ENAMETOOLONG'];

/**
 * Creates the directory if it is not there. The daemon calls it before it listens, and the store again.
 *
 * @throws StoreError `unreadable`, with the error of the system, when it cannot be created or written to
 */
export async function prepareDirectory(
  options: Pick<FileStoreOptions, 'fileCalls' | 'signal' | 'storagePath'>,
): Promise<void> {
  const { fileCalls, storagePath: directory } = options;
  const create = async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
  };
  await fileCalls.run('storage', directory, create).catch(failOpening(options));
}

/**
 * Creates the directory, and waits for its lock.
 *
 * @throws StoreError `locked` when a living daemon uses the directory, `unreadable` when it cannot be used
 */
export async function openFileStore(options: FileStoreOptions) {
  await prepareDirectory(options);
  return createFileStore(options, await takeLock(options).catch(failOpening(options)));
}

/** Makes a handler for `catch`, which throws the reason of the signal if it has aborted, else a StoreError `unreadable`. */
function failOpening({ signal, storagePath }: Pick<FileStoreOptions, 'signal' | 'storagePath'>) {
  return (error: unknown): never => {
    signal.throwIfAborted();
    throw fileError('unreadable', storagePath, error);
  };
}

/** The records of a directory. `local-records.ts` decides what is stored when. */
export type Store = Readonly<ReturnType<typeof createFileStore>>;

/** The store of a directory whose lock this process has. */
function createFileStore(options: FileStoreOptions, lock: Lock) {
  const { fileCalls, storagePath: directory } = options;
  /** The records of the next batches, in the order of the calls of `save`. */
  const waiting: TargetRecord[] = [];

  const run = <T>(path: string, work: () => Promise<T>) => fileCalls.run('storage', path, work);
  const pathOf = ({ target }: TargetRecord) => join(directory, recordFileName(target));

  /**
   * Writes the first records that wait, in three steps: writes temporary files, renames them, and syncs the directory once
   * for all. One batch at a time. Never rejects.
   *
   * @returns for each of them why it could not be stored; `null` if it is stored
   */
  const writeBatch = coalesce(async () => {
    const batch = waiting.splice(0, maxBatch);
    const failures = new Map<TargetRecord, StoreError | null>(batch.map((each) => [each, null]));
    /** Writes or renames the file of a record, unless an earlier step of it has failed. */
    const runStep = async (record: TargetRecord, step: (path: string) => Promise<void>) => {
      if (failures.get(record)) return;
      const path = pathOf(record);
      try {
        // A process that was suspended may have lost the lock.
        await lock.check();
        await run(path, () => step(path));
      } catch (error) {
        failures.set(record, fileError('unwritable', path, error));
      }
    };
    // Each writer takes the next record of this one iterator.
    const unwritten = batch.values();
    const writeNext = async () => {
      for (const record of unwritten) {
        await runStep(record, (path) => writeText(`${path}.tmp`, formatRecord(record)));
      }
    };
    await Promise.all(Array.from({ length: writesAtOnce }, writeNext));
    // One after the other, each after a check of the lock: a daemon that loses it overwrites one record at most.
    for (const record of batch) await runStep(record, (path) => rename(`${path}.tmp`, path));
    const renamed = batch.filter((record) => failures.get(record) === null);
    if (renamed.length === 0) return failures;
    await run(directory, () => syncDirectory(directory)).catch((error: unknown) => {
      const failure = fileError('unwritable', directory, error);
      for (const record of renamed) failures.set(record, failure);
    });
    return failures;
  });

  return {
    /**
     * Reads all records, in no particular order. A file that holds no record is moved aside and logged.
     *
     * @returns `damaged`: the number of such files; their targets begin again
     * @throws StoreError `unreadable` when a call to the file system fails; `newer-form` when a newer version wrote a record:
     *   then nothing has been moved or removed
     */
    load: () => loadRecords(options),
    /**
     * Replaces the record of a target. It is durable when the promise resolves. The caller must wait for a save of a target
     * before the next one, as both would write one file. After a rejection the old record is stored; where the storage
     * hung, the new one may still replace it.
     *
     * @throws StoreError
     */
    save: async (record: TargetRecord) => {
      waiting.push(record);
      let failures = await writeBatch();
      // Where more than a batch wait, a later batch has this record.
      while (!failures.has(record)) failures = await writeBatch();
      const failure = failures.get(record);
      if (failure) throw failure;
    },
    /** Removes the record of a target. A record that is not there is no failure. Rejects with any other. */
    remove: async (record: TargetRecord) => {
      const path = pathOf(record);
      await lock.check();
      await run(path, () => rm(path, { force: true }));
    },
    /** Waits for saves under way, and closes the store. Never rejects; a second call does nothing. */
    close: async () => {
      do await writeBatch();
      while (waiting.length > 0);
      await lock.close();
    },
  };
}

/** Reads the records of a directory, then moves damaged files aside and removes temporary ones. */
async function loadRecords(options: FileStoreOptions) {
  const { collectors, fileCalls, logger, storagePath: directory } = options;
  const records: TargetRecord[] = [];
  const damaged: { readonly file: string; readonly reason: string }[] = [];
  const run = <T>(work: () => Promise<T>) => fileCalls.run('storage', directory, work);
  /** Works on 16 items side by side; they share one bounded call. */
  const runForEach = async <T>(items: readonly T[], work: (item: T) => Promise<void>) => {
    for (let from = 0; from < items.length; from += readsAtOnce) {
      const part = items.slice(from, from + readsAtOnce);
      await run(() => Promise.all(part.map(work)));
    }
  };
  const read = async (file: string) => {
    const path = join(directory, file);
    try {
      const { text } = await readText(path);
      const record = parseRecord(text, collectors, path);
      if (recordFileName(record.target) !== file) throw new Error('belongs to another target');
      records.push(record);
    } catch (error) {
      // An error of the system, or a StoreError `newer-form`, has a code. An error about the text has none.
      const code = codeOf(error);
      if (code !== undefined && !unopenableCodes.includes(code)) throw error;
      damaged.push({ file, reason: messageOf(error) });
    }
  };
  const moveAside = async ({ file, reason }: (typeof damaged)[number]) => {
    const movedTo = `${file}.damaged-${Date.now()}`;
    const moved = await rename(join(directory, file), join(directory, movedTo)).then(
      () => ({ moved_to: movedTo }),
      (error: unknown) => ({ not_moved: messageOf(error) }),
    );
    logger.error('damaged record', { file, ...moved, reason });
  };
  try {
    const names = await run(() => readdir(directory));
    const files = names.filter((name) => name.endsWith('.json'));
    await runForEach(files, read);
    // After the last file is read: a directory with a record of a newer form stays as it is.
    await runForEach(damaged, moveAside);
    // A process that ended while it wrote left them.
    const drafts = names.filter((name) => name.endsWith('.tmp'));
    await runForEach(drafts, (name) => rm(join(directory, name), { recursive: true, force: true }));
  } catch (error) {
    throw fileError('unreadable', directory, error);
  }
  return { records, damaged: damaged.length };
}

/** A StoreError that says which call failed, and what to do. An error that is a StoreError already is returned as it is. */
function fileError(code: 'unreadable' | 'unwritable', path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const what = code === 'unreadable' ? 'the storage directory' : 'the record';
  const verb = code === 'unreadable' ? 'used' : 'written';
  const todo = 'see that its volume answers and has room, and that the daemon may write there';
  const message = `${what} ${path} cannot be ${verb}: ${messageOf(error)}; ${todo}`;
  return new StoreError(code, message, { cause: error });
}
