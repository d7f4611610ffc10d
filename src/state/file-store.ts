/**
 * Records as files of a directory: one per target, replaced whole by writing a temporary file and
 * renaming it, under a lock that keeps a second daemon out.
 */
import { join } from 'node:path';
import type { Clock } from '../model/clock.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { TargetRecord } from '../model/record.ts';
import { DirectoryLock, StoreLockedError, type LockTiming } from './directory-lock.ts';
import { explainFailure, nodeFileSystem, type FileSystem } from './file-system.ts';
import { describeThisProcess, type LockHolder } from './lock-holder.ts';
import { formatRecord, parseRecord, recordFileName, recordFileSuffix } from './record-file.ts';
import { SaveQueue, shareRuns } from './save-queue.ts';
import { StoreError, closedError, type DamagedFile, type LoadReport, type Store } from './store.ts';

export interface FileStoreOptions {
  /** Created when it is not there. */
  readonly directory: string;
  /** They read the records of their kind. */
  readonly collectors: CollectorSet;
  readonly clock: Clock;
  /** Called once when another process turns out to hold the directory; saves are refused from then on. */
  readonly onLockLost: (error: StoreLockedError) => void;
  /** Ends the wait for a holder of the lock that cannot be asked. */
  readonly signal?: AbortSignal;
  readonly fileSystem?: FileSystem;
  /** The process that holds the lock; this one when absent. */
  readonly self?: LockHolder;
  readonly lockTiming?: LockTiming;
}

/** A larger file is no record: the largest that a target can have is far below. */
const maxFileBytes = 8 * 1024 * 1024;
/** A temporary file, named after the process that made it, or a claim to the lock of a dead one. */
const leftover = /\.(tmp-[0-9a-f-]{36}|claim-[0-9a-f]{64})$/;
/** How many files are read side by side; each is open meanwhile. */
const readsAtOnce = 32;
/** How many damaged files of a target are kept, newest last. */
const maxDamagedFiles = 5;

/**
 * Opens the store of a directory. A directory that cannot be used is no failure: the store then
 * refuses every save with the reason, and each save tries anew.
 *
 * @throws StoreLockedError when a living process uses the directory
 */
export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const { collectors, directory, clock, fileSystem = nodeFileSystem } = options;
  const self = options.self ?? (await describeThisProcess(clock.now()));
  const lock = new DirectoryLock({
    directory,
    self,
    clock,
    fileSystem,
    onLost: options.onLockLost,
    timing: options.lockTiming,
  });
  const signal = options.signal ?? new AbortController().signal;
  try {
    await lock.acquire(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StoreLockedError) throw error;
  }
  return new FileStore({ collectors, directory, clock, fileSystem, lock, id: self.id });
}

interface Parts {
  readonly collectors: CollectorSet;
  readonly directory: string;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly lock: DirectoryLock;
  /** Tells the temporary files of this store from those of others. */
  readonly id: string;
}

class FileStore implements Store {
  readonly #parts: Parts;
  readonly #queue = new SaveQueue((file, record) => this.#write(file, record));
  readonly #syncDirectory: () => Promise<void>;
  #closing: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#syncDirectory = shareRuns(() => parts.fileSystem.syncDirectory(parts.directory));
  }

  async load(): Promise<LoadReport> {
    if (this.#closing !== null) throw closedError();
    const { directory, fileSystem } = this.#parts;
    let names: readonly string[];
    try {
      names = await fileSystem.list(directory);
    } catch (error) {
      const reason = explainFailure(error);
      return { records: [], damaged: [{ file: directory, movedTo: null, reason }] };
    }
    await this.#removeLeftovers(names);
    const records: TargetRecord[] = [];
    const damaged: DamagedFile[] = [];
    const files = names.filter((name) => name.endsWith(recordFileSuffix));
    for (let from = 0; from < files.length; from += readsAtOnce) {
      const batch = files.slice(from, from + readsAtOnce);
      const results = await Promise.all(batch.map((file) => this.#tryRead(file)));
      for (const { file, record, reason } of results) {
        if (record !== null) records.push(record);
        else damaged.push({ file, movedTo: await this.#moveAside(file, names), reason });
      }
    }
    return { records, damaged };
  }

  async save(record: TargetRecord): Promise<void> {
    if (this.#closing !== null) throw closedError();
    const file = recordFileName(record.target);
    try {
      await this.#queue.push(file, record);
      await this.#syncDirectory();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const path = join(this.#parts.directory, file);
      const message = `${path} was not stored: ${explainFailure(error)}`;
      throw new StoreError('unwritable', message, { cause: error });
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#parts.lock.stopWaiting();
    await this.#queue.idle();
    await this.#syncDirectory().catch(() => undefined);
    // What stays behind is the lock of a dead process, which the next one takes over.
    await this.#parts.lock.release().catch(() => undefined);
  }

  async #write(file: string, record: TargetRecord): Promise<void> {
    const { directory, fileSystem, lock, id } = this.#parts;
    const path = join(directory, file);
    const temporary = `${path}.tmp-${id}`;
    await lock.ensureHeld();
    try {
      await fileSystem.write(temporary, formatRecord(record));
      await fileSystem.rename(temporary, path);
    } catch (error) {
      await fileSystem.remove(temporary).catch(() => undefined);
      throw error;
    }
  }

  async #tryRead(file: string) {
    try {
      return { file, record: await this.#read(file), reason: '' };
    } catch (error) {
      return { file, record: null, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async #read(file: string): Promise<TargetRecord> {
    const { collectors, directory, fileSystem } = this.#parts;
    const text = await fileSystem.read(join(directory, file), maxFileBytes);
    const record = parseRecord(text, collectors);
    if (recordFileName(record.target) === file) return record;
    throw new Error(
      `holds the record of another target, whose file is ${recordFileName(record.target)}`,
    );
  }

  /** What a process that died left of its saves and of its lock. */
  async #removeLeftovers(names: readonly string[]): Promise<void> {
    const { directory, fileSystem, lock, id } = this.#parts;
    if (!lock.isHeld) return;
    const leftovers = names.filter((name) => leftover.test(name) && !name.endsWith(id));
    for (const name of leftovers) {
      await fileSystem.remove(join(directory, name)).catch(() => undefined);
    }
  }

  /** Renames a damaged file; without the lock nothing in the directory is touched. */
  async #moveAside(file: string, names: readonly string[]): Promise<string | null> {
    const { clock, directory, fileSystem, lock } = this.#parts;
    if (!lock.isHeld) return null;
    const earlier = names.filter((name) => name.startsWith(`${file}.damaged-`)).toSorted();
    const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]/g, '');
    let movedTo = `${file}.damaged-${stamp}`;
    while (names.includes(movedTo)) movedTo += '+';
    try {
      await fileSystem.rename(join(directory, file), join(directory, movedTo));
    } catch {
      return null;
    }
    for (const name of earlier.slice(0, -(maxDamagedFiles - 1))) {
      await fileSystem.remove(join(directory, name)).catch(() => undefined);
    }
    return movedTo;
  }
}
