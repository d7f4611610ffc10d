/**
 * Records as files of a directory: one per target, replaced whole by writing a temporary file and renaming it,
 * under a lock that keeps a second daemon out.
 */
import { mkdir, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import { messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import { lockedError, releaseLock, takeLock, touchLock, usualTouchMs } from './lock.ts';
import type { Lock, LockOptions } from './lock.ts';
import {
  formatRecord,
  NewerFormError,
  parseRecord,
  readText,
  recordFileName,
  syncDirectory,
  writeText,
} from './record-file.ts';
import { newerFormError, StoreError, type Store, type StoredRecords } from './store.ts';

export interface FileStoreOptions extends LockOptions {
  readonly collectors: CollectorSet;
  readonly logger: Logger;
  /** Called once when another daemon has taken the lock. Saves are refused from then on. */
  readonly onFatal: (error: StoreError) => void;
}

/** How many files are read side by side. */
const readsAtOnce = 16;
/** How many records are written side by side, and how many share one sync of the directory. */
const writesAtOnce = 2;
const maxBatch = 64;

/** A record that waits to be written. */
interface Save {
  readonly record: TargetRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates the directory, and waits for its lock.
 *
 * @throws StoreError `locked` when a living daemon uses the directory, `unreadable` when it cannot be used
 */
export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const { fileCalls, signal, storagePath: directory } = options;
  const create = () => mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await fileCalls.run('storage', directory, create);
    return new FileStore(options, await takeLock(options));
  } catch (error) {
    signal.throwIfAborted();
    throw failure('unreadable', directory, error);
  }
}

class FileStore implements Store {
  readonly #options: FileStoreOptions;
  readonly #lock: Lock;
  readonly #touchMs: number;
  readonly #timer: NodeJS.Timeout;
  /** When the lock was last touched, on the monotonic clock. */
  #touchedAtMs = performance.now();
  /** Why nothing is written any more. */
  #ended: StoreError | null = null;
  #waiting: Save[] = [];
  #writing: Promise<void> | null = null;

  constructor(options: FileStoreOptions, lock: Lock) {
    this.#options = options;
    this.#lock = lock;
    this.#touchMs = options.touchMs ?? usualTouchMs;
    this.#timer = setInterval(() => {
      // A touch that fails is a failing storage: the next save says so.
      this.#touch().catch(() => undefined);
    }, this.#touchMs).unref();
    process.once('exit', this.#release);
  }

  async load(): Promise<StoredRecords> {
    const { collectors, logger, storagePath: directory } = this.#options;
    const records: TargetRecord[] = [];
    const damaged: { readonly file: string; readonly reason: string }[] = [];
    const read = async (file: string) => {
      const { text } = await readText(join(directory, file));
      try {
        const record = parseRecord(text, collectors);
        if (recordFileName(record.target) !== file) throw new Error('belongs to another target');
        records.push(record);
      } catch (error) {
        if (error instanceof NewerFormError) {
          throw newerFormError(join(directory, file), error.form, 'another directory');
        }
        damaged.push({ file, reason: messageOf(error) });
      }
    };
    const moveAside = async ({ file, reason }: (typeof damaged)[number]) => {
      const movedTo = `${file}.damaged-${Date.now()}`;
      await rename(join(directory, file), join(directory, movedTo));
      logger.error('damaged record', { file, moved_to: movedTo, reason });
    };
    try {
      const names = await this.#run(directory, () => readdir(directory));
      const files = names.filter((name) => name.endsWith('.json'));
      await this.#runForEach(files, read);
      // After the last file is read: a directory with a record of a newer form stays as it is.
      await this.#runForEach(damaged, moveAside);
      // A process that ended while it wrote left them.
      const halves = names.filter((name) => name.endsWith('.tmp'));
      await this.#runForEach(halves, (name) => unlink(join(directory, name)));
    } catch (error) {
      throw failure('unreadable', directory, error);
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
    await this.#confirm();
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

  /** Removes the lock at every exit that runs code. A storage that does not answer must not delay it. */
  readonly #release = (): void => {
    if (this.#ended !== null || this.#isTouchOverdue()) return;
    try {
      releaseLock(this.#lock);
    } catch {
      // The next daemon waits until the lock is silent.
    }
  };

  /** Writes what waits, batch by batch. What comes meanwhile is in the next batch. */
  async #writeAll(): Promise<void> {
    const { storagePath: directory } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      const written: Save[] = [];
      const rest = batch.values();
      const writeRest = async () => {
        for (const each of rest) {
          await this.#try(each, written, (path) =>
            writeText(`${path}.tmp`, formatRecord(each.record)),
          );
        }
      };
      await Promise.all(Array.from({ length: writesAtOnce }, writeRest));
      const renamed: Save[] = [];
      // One after the other: a daemon that loses its lock meanwhile overwrites one record at the most.
      for (const each of written) {
        await this.#try(each, renamed, (path) => rename(`${path}.tmp`, path));
      }
      if (renamed.length === 0) continue;
      try {
        await this.#run(directory, () => syncDirectory(directory));
        for (const { resolve } of renamed) resolve();
      } catch (error) {
        for (const { reject } of renamed) reject(failure('unwritable', directory, error));
      }
    }
    // At once: whoever waited for the last save may come with the next one.
    this.#writing = null;
  }

  /** Does one step of a save. Adds it to `done`, or rejects it. */
  async #try(save: Save, done: Save[], step: (path: string) => Promise<void>): Promise<void> {
    const path = this.#pathOf(save.record);
    try {
      // A process that was suspended may have lost the lock.
      await this.#confirm();
      await this.#run(path, () => step(path));
      done.push(save);
    } catch (error) {
      save.reject(failure('unwritable', path, error));
    }
  }

  /** Looks at the lock if a touch is overdue, as after a suspension. Throws when the lock is lost. */
  async #confirm(): Promise<void> {
    if (this.#isTouchOverdue()) await this.#touch();
    if (this.#ended !== null) throw this.#ended;
  }

  #isTouchOverdue(): boolean {
    return performance.now() - this.#touchedAtMs > 2 * this.#touchMs;
  }

  async #touch(): Promise<void> {
    const startedMs = performance.now();
    const isHeld = await this.#run(this.#lock.path, () => touchLock(this.#lock));
    if (isHeld) this.#touchedAtMs = startedMs;
    if (isHeld || this.#ended !== null) return;
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

/** The failure of a call to the file system, and what to do. */
function failure(code: 'unreadable' | 'unwritable', path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const what = code === 'unreadable' ? 'the storage directory' : 'the record';
  const verb = code === 'unreadable' ? 'used' : 'written';
  const todo = 'see that its volume answers and has room, and that the daemon may write there';
  const message = `${what} ${path} cannot be ${verb}: ${messageOf(error)}; ${todo}`;
  return new StoreError(code, message, { cause: error });
}
