/**
 * Records as files of a directory: one per target, replaced whole by writing a temporary file and
 * renaming it, under a lock that keeps a second daemon out.
 */
import { codeOf } from '../model/errors.ts';
import { join } from 'node:path';
import { HungCallError, type BoundedCalls } from '../files/bounded-calls.ts';
import type { Clock } from '../model/clock.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { boundFileSystem } from './bounded-file-system.ts';
import { DirectoryLock, type LockTiming } from './directory-lock.ts';
import { StoreLockedError } from './store-locked-error.ts';
import { explainFailure, nodeFileSystem, type FileSystem } from './file-system.ts';
import { describeThisProcess, type LockHolder } from './lock-holder.ts';
import { KnownRecords } from './known-records.ts';
import { formatRecord, recordFileName, type RecordText } from './record-file.ts';
import { DamagedRecordError, RecordFiles, type RecordFilesOptions } from './record-files.ts';
import { shareRuns, ConcurrencyLimit } from './concurrency.ts';
import {
  closedError,
  FoundDamageError,
  FoundRecordError,
  StoreError,
  type DamagedFile,
  type LoadReport,
  type Store,
  type UnreadTarget,
} from './store.ts';

export interface FileStoreOptions {
  /** Created when it is not there. */
  readonly directory: string;
  /** The collectors. They read the records of their kind. */
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
  /** Makes the calls to the file system. */
  readonly calls: BoundedCalls;
}

/**
 * How many records are read or written side by side. They share the look at the lock and the sync of the
 * directory. Fewer calls to the file system run at the same time (`src/files/bounded-calls.ts`).
 */
const filesAtOnce = 16;
/** How often a save begins again because the directory became another one. */
const maxAttempts = 3;

/**
 * Opens the store of a directory. It opens also when the directory cannot be used or does not answer:
 * then every save tries again, and fails with the reason.
 *
 * @throws StoreLockedError when a living process uses the directory
 */
export async function openFileStore(options: FileStoreOptions): Promise<Store> {
  const { collectors, directory, clock } = options;
  const fileSystem = boundFileSystem(options.fileSystem ?? nodeFileSystem, options.calls);
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

interface Parts extends RecordFilesOptions {
  readonly lock: DirectoryLock;
}

class FileStore implements Store {
  readonly #parts: Parts;
  readonly #files: RecordFiles;
  readonly #concurrency = new ConcurrencyLimit(filesAtOnce);
  readonly #syncDirectory: () => Promise<void>;
  readonly #saves = new Set<Promise<void>>();
  readonly #known = new KnownRecords();
  /**
   * Files whose last save hangs, with its error. The save may still take effect, so the next one must
   * wait.
   */
  readonly #hanging = new Map<string, HungCallError>();
  /** The last removal of a file. Never rejects. */
  #removing = Promise.resolve(false);
  #closing: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#files = new RecordFiles(parts);
    this.#syncDirectory = shareRuns(() => parts.fileSystem.syncDirectory(parts.directory));
  }

  get generation(): number {
    return this.#parts.lock.term;
  }

  async load(targets: readonly Target[]): Promise<LoadReport> {
    if (this.#closing !== null) throw closedError();
    const { lock } = this.#parts;
    const term = lock.term;
    await this.#removing;
    let names: ReadonlySet<string>;
    try {
      names = new Set(await this.#files.list());
    } catch (error) {
      const reason = explainFailure(error);
      return { records: [], damaged: [], unread: targets.map((target) => ({ target, reason })) };
    }
    if (lock.isHeld) await this.#files.removeLeftovers(names);

    const records: TargetRecord[] = [];
    const damaged: DamagedFile[] = [];
    const unread: UnreadTarget[] = [];
    const loadOne = async (target: Target) => {
      const file = recordFileName(target);
      try {
        const content = names.has(file) ? await this.#files.read(file) : null;
        if (content !== null) records.push(content.record);
        this.#known.note(file, target, content?.text ?? null, term);
      } catch (error) {
        if (error instanceof DamagedRecordError) damaged.push(await this.#moveAside(file, error));
        else unread.push({ target, reason: explainFailure(error) });
      }
    };
    await Promise.all(targets.map((target) => this.#concurrency.run(() => loadOne(target))));
    return { records, damaged, unread };
  }

  async save(record: TargetRecord): Promise<void> {
    if (this.#closing !== null) throw closedError();
    const saving = this.#save(record);
    this.#saves.add(saving);
    try {
      await saving;
    } finally {
      this.#saves.delete(saving);
    }
  }

  async removeGone(isLive: (target: Target) => boolean): Promise<readonly string[]> {
    const removed: string[] = [];
    for (const file of await this.#files.list().catch(() => [])) {
      const target = await this.#files.longUnwritten(file);
      if (this.#closing !== null || !this.#parts.lock.isHeld) return removed;
      if (target === null || isLive(target)) continue;
      this.#removing = this.#files.remove(file);
      if (await this.#removing) removed.push(file);
    }
    return removed;
  }

  keepOnly(isLive: (target: Target) => boolean): void {
    this.#known.keepOnly(isLive);
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#parts.lock.stopWaiting();
    await Promise.allSettled([...this.#saves, this.#removing]);
    // The lock file stays. It is then the lock of a dead process, and the next process takes it over.
    await this.#parts.lock.release().catch(() => undefined);
  }

  async #save(record: TargetRecord): Promise<void> {
    const file = recordFileName(record.target);
    const path = join(this.#parts.directory, file);
    try {
      await this.#concurrency.run(() => this.#replace(file, path, record));
      await this.#syncDirectory();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (error instanceof HungCallError) this.#waitOut(file, error);
      const message = `${path} cannot be written: ${explainFailure(error)}`;
      throw new StoreError('unwritable', message, { cause: error });
    }
  }

  async #replace(file: string, path: string, record: TargetRecord): Promise<void> {
    const hung = this.#hanging.get(file);
    if (hung !== undefined) throw hung;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (await this.#tryReplace(file, path, record)) return;
    }
    throw new Error('the directory is replaced again and again');
  }

  /** `false` when the lock had to be taken again meanwhile: the caller must look at what is there now. */
  async #tryReplace(file: string, path: string, record: TargetRecord): Promise<boolean> {
    const { fileSystem, lock, id } = this.#parts;
    await lock.ensureHeld();
    const { term } = lock;
    await this.#check(file, record.target, term);
    const temporary = `${path}.tmp-${id}`;
    const text = formatRecord(record);
    try {
      await fileSystem.write(temporary, text);
      // A process that was suspended since it last looked may have lost the directory meanwhile.
      await lock.confirm();
      if (lock.term === term) {
        await this.#rename(temporary, path, () => {
          this.#known.note(file, record.target, text, term);
        });
        return true;
      }
      await fileSystem.remove(temporary).catch(() => undefined);
      return false;
    } catch (error) {
      if (!(error instanceof HungCallError)) {
        await fileSystem.remove(temporary).catch(() => undefined);
      }
      throw error;
    }
  }

  async #rename(from: string, to: string, onDone: () => void): Promise<void> {
    try {
      await this.#parts.fileSystem.rename(from, to);
      onDone();
    } catch (error) {
      if (error instanceof HungCallError) {
        void error.settled.then((isDone) => {
          if (isDone) onDone();
        });
      }
      throw error;
    }
  }

  /**
   * Looks at the file that a save is about to replace, unless it was seen since the lock was last taken.
   * When the lock had to be taken again, the directory may be another one, such as a volume that was
   * mounted late.
   *
   * @throws FoundRecordError when the file holds another record than this process knows; the next call
   *   does not throw
   * @throws FoundDamageError when the file holds none; the next call does not throw
   */
  async #check(file: string, target: Target, term: number): Promise<void> {
    if (this.#known.wasSeenIn(term, file)) return;
    const found = await this.#readIfThere(file);
    const isDamaged = found !== null && 'reason' in found;
    const isKnown = found !== null && !isDamaged && this.#known.isKnown(file, found.text);
    this.#known.note(file, target, found === null || isDamaged ? null : found.text, term);
    if (found === null || isKnown) return;
    throw isDamaged ? new FoundDamageError(found) : new FoundRecordError(file, found.record);
  }

  async #readIfThere(file: string): Promise<RecordText | DamagedFile | null> {
    try {
      return await this.#files.read(file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      if (error instanceof DamagedRecordError) return this.#moveAside(file, error);
      throw error;
    }
  }

  /** Holds further saves of a file back until the call that hangs has ended. */
  #waitOut(file: string, error: HungCallError): void {
    this.#hanging.set(file, error);
    void error.settled.then(() => this.#hanging.delete(file));
  }

  /** Without the lock nothing in the directory is touched. */
  async #moveAside(file: string, { message }: DamagedRecordError): Promise<DamagedFile> {
    const movedTo = this.#parts.lock.isHeld ? await this.#files.moveAside(file) : null;
    return { file, movedTo, reason: message };
  }
}
