/**
 * The store that keeps records as files of a directory: one per target, replaced whole by writing a temporary file and
 * renaming it, under a lock that keeps a second daemon out. The daemon opens it without `cluster`; with one, the import
 * of its files does.
 */
import { access, constants, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import {
  lockedError,
  releaseLock,
  takeLock,
  touchLock,
  usualTouchMs,
  type Lock,
  type LockOptions,
} from './lock.ts';
import {
  formatRecord,
  parseRecord,
  readText,
  recordFileName,
  syncDirectory,
  writeText,
} from './record-file.ts';
import { StoreError, type Store, type StoredRecords } from './store.ts';

export interface FileStoreOptions extends LockOptions {
  readonly collectors: CollectorSet;
  readonly logger: Logger;
  /** Called once when another daemon has taken the lock: saves fail from then on. */
  readonly onFatal: (error: StoreError) => void;
}

/** How many files a start reads side by side. */
const readsAtOnce = 16;
/** How many records are written side by side, and how many share one sync of the directory. */
const writesAtOnce = 2;
const maxBatch = 64;

/** Codes of links that lead nowhere, and of what cannot be opened, such as a socket, in place of a record. */
const leadNowhere = ['ELOOP', 'ENOENT', 'ENOTDIR', 'ENXIO', 'ENAMETOOLONG'];

/** A record that waits to be written, and the promise of its {@link Store.save}. */
interface Save {
  readonly record: TargetRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

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
export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  await prepareDirectory(options);
  return new FileStore(options, await takeLock(options).catch(failOpening(options)));
}

/** Handles a failure of a start: throws the reason of a signal that has aborted, else what cannot be read. */
function failOpening({ signal, storagePath }: Pick<FileStoreOptions, 'signal' | 'storagePath'>) {
  return (error: unknown): never => {
    signal.throwIfAborted();
    throw fileError('unreadable', storagePath, error);
  };
}

class FileStore implements Store {
  readonly #options: FileStoreOptions;
  readonly #lock: Lock;
  readonly #touchMs: number;
  readonly #timer: NodeJS.Timeout;
  /** When the lock was last touched, on the monotonic clock. */
  #touchedAtMs = performance.now();
  /** The reason why nothing is written any more: the lock is lost, or the store is closed. */
  #ended: StoreError | null = null;
  #waiting: Save[] = [];
  #writing: Promise<void> | null = null;

  constructor(options: FileStoreOptions, lock: Lock) {
    this.#options = options;
    this.#lock = lock;
    this.#touchMs = options.touchMs ?? usualTouchMs;
    this.#timer = setInterval(() => {
      // If a touch fails, so does the next save, and that one is logged.
      this.#touch().catch(() => undefined);
    }, this.#touchMs).unref();
    process.once('exit', this.#release);
  }

  async load(): Promise<StoredRecords> {
    const { collectors, logger, storagePath: directory } = this.#options;
    const records: TargetRecord[] = [];
    const damaged: { readonly file: string; readonly reason: string }[] = [];
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
      const names = await this.#run(directory, () => readdir(directory));
      const files = names.filter((name) => name.endsWith('.json'));
      await this.#runForEach(files, read);
      // After the last file is read: a directory with a record of a newer form stays as it is.
      await this.#runForEach(damaged, moveAside);
      // A process that ended while it wrote left them.
      const halves = names.filter((name) => name.endsWith('.tmp'));
      await this.#runForEach(halves, (name) =>
        rm(join(directory, name), { recursive: true, force: true }),
      );
    } catch (error) {
      throw fileError('unreadable', directory, error);
    }
    return { records, damaged: damaged.length };
  }

  save(record: TargetRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async remove(record: TargetRecord): Promise<void> {
    const path = this.#pathOf(record);
    await this.#checkLock();
    await this.#run(path, () => rm(path, { force: true }));
  }

  async close(): Promise<void> {
    await this.#writing;
    clearInterval(this.#timer);
    this.#release();
    process.off('exit', this.#release);
    await this.#lock.file.close().catch(() => undefined);
    this.#ended ??= new StoreError('closed', 'the store is closed');
  }

  /** Removes the lock at every exit that runs code, except where a storage that does not answer would delay the exit. */
  readonly #release = (): void => {
    if (this.#ended !== null || this.#isTouchOverdue()) return;
    try {
      releaseLock(this.#lock);
    } catch {
      // The lock stays: the next daemon waits until it was not touched for 9 s.
    }
  };

  /** Writes batches until no save waits. A save that comes meanwhile is in the next batch. */
  async #writeAll(): Promise<void> {
    const { storagePath: directory } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      const written: Save[] = [];
      // Each writer takes the next save of this one iterator.
      const unwritten = batch.values();
      const writeNext = async () => {
        for (const save of unwritten) {
          await this.#runStep(save, written, (path) =>
            writeText(`${path}.tmp`, formatRecord(save.record)),
          );
        }
      };
      await Promise.all(Array.from({ length: writesAtOnce }, writeNext));
      const renamed: Save[] = [];
      // One after the other: a daemon that loses its lock meanwhile overwrites one record at most.
      for (const save of written) {
        await this.#runStep(save, renamed, (path) => rename(`${path}.tmp`, path));
      }
      if (renamed.length === 0) continue;
      try {
        await this.#run(directory, () => syncDirectory(directory));
        for (const { resolve } of renamed) resolve();
      } catch (error) {
        for (const { reject } of renamed) reject(fileError('unwritable', directory, error));
      }
    }
    // In the same step as the last check of `#waiting`: the next save starts this function again.
    this.#writing = null;
  }

  /** Runs one step of a save: writes or renames its file. Adds the save to `done`, or rejects its promise. */
  async #runStep(save: Save, done: Save[], step: (path: string) => Promise<void>): Promise<void> {
    const path = this.#pathOf(save.record);
    try {
      // A process that was suspended may have lost the lock.
      await this.#checkLock();
      await this.#run(path, () => step(path));
      done.push(save);
    } catch (error) {
      save.reject(fileError('unwritable', path, error));
    }
  }

  /** @throws StoreError when the lock is lost. The lock is read only if a touch is overdue, as after a suspension */
  async #checkLock(): Promise<void> {
    if (this.#isTouchOverdue()) await this.#touch();
    if (this.#ended !== null) throw this.#ended;
  }

  #isTouchOverdue(): boolean {
    return performance.now() - this.#touchedAtMs > 2 * this.#touchMs;
  }

  async #touch(): Promise<void> {
    const startedMs = performance.now();
    const isHeld = await this.#run(this.#lock.path, () => touchLock(this.#lock));
    if (isHeld) {
      this.#touchedAtMs = startedMs;
      return;
    }
    if (this.#ended !== null) return;
    clearInterval(this.#timer);
    this.#ended = lockedError(this.#options.storagePath, '');
    this.#options.onFatal(this.#ended);
  }

  #pathOf({ target }: TargetRecord): string {
    return join(this.#options.storagePath, recordFileName(target));
  }

  async #runForEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    for (let from = 0; from < items.length; from += readsAtOnce) {
      const some = items.slice(from, from + readsAtOnce);
      await this.#run(this.#options.storagePath, () => Promise.all(some.map(work)));
    }
  }

  #run<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.#options.fileCalls.run('storage', path, work);
  }
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
