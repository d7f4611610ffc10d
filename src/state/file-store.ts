/**
 * Records as files of a directory: one per target, replaced whole by writing a temporary file and renaming it,
 * under a lock that keeps a second daemon out.
 */
import { readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { inTime, type BoundedCalls } from '../files/bounded-calls.ts';
import type { Logger } from '../logging/logger.ts';
import { codeOf, messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import { explainFailure, makeDirectory, readText, syncDirectory, writeText } from './disk.ts';
import { lockedError, takeLock, usualTiming, type Lock, type LockTiming } from './lock.ts';
import {
  formatRecord,
  isOldForm,
  parseRecord,
  recordFileName,
  recordFileSuffix,
} from './record-file.ts';
import { StoreError, type DamagedRecord, type Store, type StoredRecords } from './store.ts';

export interface FileStoreOptions {
  /** Created when it is not there. */
  readonly directory: string;
  readonly collectors: CollectorSet;
  /** Makes the calls to the file system. */
  readonly calls: BoundedCalls;
  readonly logger: Logger;
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal;
  /** Called once when another daemon has taken the lock. Saves are refused from then on. */
  readonly onLockLost: (error: StoreError) => void;
  readonly timing?: LockTiming | undefined;
}

/** How many files are read side by side at the start, when nothing else needs the threads. */
const readsAtOnce = 16;
/** How many records are written side by side, and how many share one sync of the directory. */
const writesAtOnce = 2;
const maxBatch = 64;
/** A temporary file of a process that ended while it wrote. */
const leftover = /\.tmp(-[0-9a-f-]{36})?$/;
/** How many damaged files of a target are kept, newest last. */
const maxDamagedFiles = 5;

interface Waiting {
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
  const { calls, directory, signal, timing = usualTiming } = options;
  const run = <T>(work: () => Promise<T>) => calls.run('storage', directory, work);
  try {
    await run(() => makeDirectory(directory));
    return new FileStore(options, await takeLock(directory, timing, run, signal), timing);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StoreError ? error : unreadable(directory, error);
  }
}

class FileStore implements Store {
  readonly #options: FileStoreOptions;
  readonly #lock: Lock;
  readonly #touchMs: number;
  readonly #timer: NodeJS.Timeout;
  /** When the lock was last touched, on the monotonic clock. */
  #touchedAtMs = performance.now();
  #touching: Promise<void> | null = null;
  #closed: StoreError | null = null;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;

  constructor(options: FileStoreOptions, lock: Lock, { touchMs }: LockTiming) {
    this.#options = options;
    this.#lock = lock;
    this.#touchMs = touchMs;
    this.#timer = setInterval(() => {
      // A touch that fails is a failing storage: the next save says so.
      this.#touch().catch(() => undefined);
    }, touchMs).unref();
    process.once('exit', this.#release);
  }

  async load(): Promise<StoredRecords> {
    const { directory, logger } = this.#options;
    const records: TargetRecord[] = [];
    const damaged: DamagedRecord[] = [];
    let old = 0;
    try {
      const names = (await inTime(readdir(directory))).values();
      const readRest = async () => {
        for (const name of names) {
          if (leftover.test(name)) await inTime(unlink(join(directory, name)));
          if (!name.endsWith(recordFileSuffix)) continue;
          const found = await this.#read(name);
          if ('target' in found) records.push(found);
          else if (found.reason === '') old += 1;
          else damaged.push(found);
        }
      };
      await Promise.all(Array.from({ length: readsAtOnce }, readRest));
    } catch (error) {
      throw unreadable(directory, error);
    }
    if (old > 0) logger.info('records of an older form are moved aside', { records: old });
    return { records, damaged };
  }

  save(record: TargetRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      this.#writing ??= this.#writeAll().finally(() => {
        this.#writing = null;
      });
    });
  }

  async remove(record: TargetRecord): Promise<void> {
    const path = this.#pathOf(record);
    await this.#confirm();
    await this.#run(path, () => unlink(path)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    clearInterval(this.#timer);
    await this.#touching?.catch(() => undefined);
    this.#release();
    process.off('exit', this.#release);
    this.#closed ??= new StoreError('closed', 'the store is closed');
  }

  /** Removes the lock at every exit that runs code. A storage that does not answer must not delay it. */
  readonly #release = (): void => {
    if (this.#closed !== null || this.#isTouchOverdue()) return;
    try {
      this.#lock.release();
    } catch {
      // The next daemon waits until the lock is silent.
    }
  };

  /** The record of a file. Otherwise the file is moved aside; without a reason, it has an older form. */
  async #read(name: string): Promise<TargetRecord | DamagedRecord> {
    const path = join(this.#options.directory, name);
    let text = '';
    try {
      text = (await inTime(readText(path))).text;
      const record = parseRecord(text, this.#options.collectors);
      const own = recordFileName(record.target);
      if (own === name) return record;
      const reason = `holds the record of another target, whose file is ${own}`;
      return { file: name, movedTo: await this.#moveAside(name, 'damaged'), reason };
    } catch (error) {
      if (codeOf(error) !== undefined) throw error;
      if (isOldForm(text)) {
        return { file: name, movedTo: await this.#moveAside(name, 'old'), reason: '' };
      }
      const movedTo = await this.#moveAside(name, 'damaged');
      return { file: name, movedTo, reason: messageOf(error) };
    }
  }

  /** Renames a file to a name with the time, and keeps the last few. */
  async #moveAside(name: string, why: 'damaged' | 'old'): Promise<string | null> {
    const { directory } = this.#options;
    try {
      const earlier = (await readdir(directory)).filter((each) =>
        each.startsWith(`${name}.${why}-`),
      );
      const stamp = new Date().toISOString().replaceAll(/[-:]/g, '');
      const movedTo = `${name}.${why}-${stamp}`;
      await inTime(rename(join(directory, name), join(directory, movedTo)));
      for (const each of earlier.toSorted().slice(0, -(maxDamagedFiles - 1))) {
        await inTime(unlink(join(directory, each)));
      }
      return movedTo;
    } catch {
      return null;
    }
  }

  /** Writes what waits, batch by batch. What comes meanwhile is in the next batch. */
  async #writeAll(): Promise<void> {
    const { directory } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      const written: Waiting[] = [];
      const rest = batch.values();
      const writeRest = async () => {
        for (const each of rest) {
          await this.#write(each.record).then(() => written.push(each), each.reject);
        }
      };
      await Promise.all(Array.from({ length: writesAtOnce }, writeRest));
      const renamed: Waiting[] = [];
      // One after the other: a daemon that loses its lock meanwhile overwrites one record at the most.
      for (const each of written) {
        await this.#rename(each.record).then(() => renamed.push(each), each.reject);
      }
      if (renamed.length === 0) continue;
      try {
        await this.#run(directory, () => syncDirectory(directory));
        for (const each of renamed) each.resolve();
      } catch (error) {
        for (const each of renamed) each.reject(unwritable(directory, error));
      }
    }
  }

  async #write(record: TargetRecord): Promise<void> {
    const path = this.#pathOf(record);
    await this.#confirm();
    try {
      await this.#run(path, () => writeText(`${path}.tmp`, formatRecord(record)));
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  async #rename(record: TargetRecord): Promise<void> {
    const path = this.#pathOf(record);
    // A process that was suspended while it wrote may have lost the lock.
    await this.#confirm();
    try {
      await this.#run(path, () => rename(`${path}.tmp`, path));
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  #pathOf({ target }: TargetRecord): string {
    return join(this.#options.directory, recordFileName(target));
  }

  /** Looks at the lock if a touch is overdue, as after a suspension. Throws when the lock is lost. */
  async #confirm(): Promise<void> {
    if (this.#isTouchOverdue()) await this.#touch();
    if (this.#closed !== null) throw this.#closed;
  }

  #isTouchOverdue(): boolean {
    return performance.now() - this.#touchedAtMs > 2 * this.#touchMs;
  }

  #touch(): Promise<void> {
    this.#touching ??= this.#touchNow().finally(() => {
      this.#touching = null;
    });
    return this.#touching;
  }

  async #touchNow(): Promise<void> {
    if (this.#closed !== null) return;
    const { calls, directory, onLockLost } = this.#options;
    const startedMs = performance.now();
    const holder = await calls.run('storage', join(directory, 'lock'), this.#lock.touch, true);
    if (holder === null) {
      this.#touchedAtMs = startedMs;
      return;
    }
    clearInterval(this.#timer);
    this.#closed = lockedError(directory, holder);
    onLockLost(this.#closed);
  }

  #run<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.#options.calls.run('storage', path, work);
  }
}

function unreadable(directory: string, error: unknown): StoreError {
  const reason = explainFailure(error);
  return new StoreError(
    'unreadable',
    `the storage directory ${directory} cannot be read: ${reason}`,
    { cause: error },
  );
}

function unwritable(path: string, error: unknown): StoreError {
  return new StoreError('unwritable', `${path} cannot be written: ${explainFailure(error)}`, {
    cause: error,
  });
}
