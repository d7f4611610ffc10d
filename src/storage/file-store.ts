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
/** How many records are written side by side, and how many share one sync of the directory. */
const writesAtOnce = 2;
const maxBatch = 64;

/** Codes of links that lead nowhere, and of what cannot be opened, such as a socket, in place of a record. */
const leadNowhere = ['ELOOP', 'ENOENT', 'ENOTDIR', 'ENXIO', 'ENAMETOOLONG'];

/**
 * Creates the directory if it is not there.
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

/** Handles a failure of a start: throws the reason of a signal that has aborted, else what cannot be read. */
function failOpening({ signal, storagePath }: Pick<FileStoreOptions, 'signal' | 'storagePath'>) {
  return (error: unknown): never => {
    signal.throwIfAborted();
    throw fileError('unreadable', storagePath, error);
  };
}

/**
 * The newest record of every target, in a place that outlives the process. A record is replaced whole or not at all.
 * `local-records.ts` decides what is stored when.
 */
export type Store = Readonly<ReturnType<typeof createFileStore>>;

/** The store of a directory whose lock this process has. */
function createFileStore(options: FileStoreOptions, lock: Lock) {
  const { fileCalls, storagePath: directory } = options;
  /** The records of the next batches. */
  const waiting: TargetRecord[] = [];

  const run = <T>(path: string, work: () => Promise<T>) => fileCalls.run('storage', path, work);
  const pathOf = ({ target }: TargetRecord) => join(directory, recordFileName(target));

  /**
   * Writes the first records that wait, and syncs the directory once for all.
   *
   * @returns for each of them why it could not be stored; `null` if it is
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
    // One after the other: a daemon that loses its lock meanwhile overwrites one record at most.
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
     * Everything that is stored, in no particular order. A text that holds no record is moved aside, and logged.
     *
     * @returns also how many stored texts held no record: only their targets start again
     * @throws StoreError `unreadable` when something cannot be read, so that nothing is known about it; `newer-form` when
     *   a newer version wrote a record. Nothing is moved or removed then
     */
    load: () => loadRecords(options),
    /**
     * Replaces the record of a target. It is durable when the promise resolves. The next save of a target begins when
     * the last one has settled. After a rejection the old record is stored; where the storage hung, the new one may
     * still replace it.
     *
     * @throws StoreError
     */
    save: async (record: TargetRecord) => {
      waiting.push(record);
      let failures = await writeBatch();
      // Where many wait, a later batch has it.
      while (!failures.has(record)) failures = await writeBatch();
      const failure = failures.get(record);
      if (failure) throw failure;
    },
    /** Removes the record of a target. A record that is not there is no failure. */
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

/** Reads the records of a directory, and moves damaged files aside. */
async function loadRecords(options: FileStoreOptions) {
  const { collectors, fileCalls, logger, storagePath: directory } = options;
  const records: TargetRecord[] = [];
  const damaged: { readonly file: string; readonly reason: string }[] = [];
  const run = <T>(work: () => Promise<T>) => fileCalls.run('storage', directory, work);
  const runForEach = async <T>(items: readonly T[], work: (item: T) => Promise<void>) => {
    for (let from = 0; from < items.length; from += readsAtOnce) {
      const some = items.slice(from, from + readsAtOnce);
      await run(() => Promise.all(some.map(work)));
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
      const code = codeOf(error);
      if (code !== undefined && !leadNowhere.includes(code)) throw error;
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
    const halves = names.filter((name) => name.endsWith('.tmp'));
    await runForEach(halves, (name) => rm(join(directory, name), { recursive: true, force: true }));
  } catch (error) {
    throw fileError('unreadable', directory, error);
  }
  return { records, damaged: damaged.length };
}

/** Says that a call to the file system failed, and what to do. Keeps an error that says more. */
function fileError(code: 'unreadable' | 'unwritable', path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const what = code === 'unreadable' ? 'the storage directory' : 'the record';
  const verb = code === 'unreadable' ? 'used' : 'written';
  const todo = 'see that its volume answers and has room, and that the daemon may write there';
  const message = `${what} ${path} cannot be ${verb}: ${messageOf(error)}; ${todo}`;
  return new StoreError(code, message, { cause: error });
}
