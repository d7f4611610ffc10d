/** The files of a storage directory: files with records, damaged files, and temporary files. */
import { messageOf } from '../model/errors.ts';
import { join } from 'node:path';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Clock } from '../model/clock.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { UnfitFileError, type FileSystem } from './file-system.ts';
import { parseRecord, recordFileName, type RecordText } from './record-file.ts';
import { goneAfterMs } from './store.ts';

/** A file that was read and holds no record, or the record of another target. */
export class DamagedRecordError extends Error {}

export interface RecordFilesOptions {
  /** They read the records of their kind. */
  readonly collectors: CollectorSet;
  readonly directory: string;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  /** The end of the names of this process's temporary files. */
  readonly id: string;
}

/** A larger file is no record: the largest that a target can have is far below. */
const maxFileBytes = 8 * 1024 * 1024;
/** A temporary file, named after the process that made it, or a claim to the lock of a dead one. */
const leftover = /\.(tmp-[0-9a-f-]{36}|claim-[0-9a-f]{64})$/;
/** How many damaged files of a target are kept, newest last. */
const maxDamagedFiles = 5;

export class RecordFiles {
  readonly #place: RecordFilesOptions;

  constructor(place: RecordFilesOptions) {
    this.#place = place;
  }

  list(): Promise<readonly string[]> {
    return this.#place.fileSystem.list(this.#place.directory);
  }

  /**
   * @throws DamagedRecordError when the file was read, and holds no record of its target
   * @throws Error of the system call that failed, which says nothing about the file's content
   */
  async read(file: string): Promise<RecordText> {
    let record: TargetRecord;
    const text = await this.#readText(file);
    try {
      record = parseRecord(text, this.#place.collectors);
    } catch (error) {
      throw new DamagedRecordError(messageOf(error));
    }
    const own = recordFileName(record.target);
    if (own === file) return { record, text };
    throw new DamagedRecordError(`holds the record of another target, whose file is ${own}`);
  }

  /** Removes the files that a dead process left of its saves and of its lock. */
  async removeLeftovers(names: Iterable<string>): Promise<void> {
    for (const name of names) {
      if (leftover.test(name) && !name.endsWith(this.#place.id)) await this.remove(name);
    }
  }

  /** Renames a file to a name with the time. Returns `null` when the file has to stay. */
  async moveAside(file: string): Promise<string | null> {
    const { clock, directory, fileSystem } = this.#place;
    try {
      const names = await this.list();
      const earlier = names.filter((name) => name.startsWith(`${file}.damaged-`)).toSorted();
      const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]/g, '');
      let movedTo = `${file}.damaged-${stamp}`;
      while (names.includes(movedTo)) movedTo += '+';
      await fileSystem.rename(join(directory, file), join(directory, movedTo));
      for (const name of earlier.slice(0, -(maxDamagedFiles - 1))) await this.remove(name);
      return movedTo;
    } catch {
      return null;
    }
  }

  /**
   * The target of a record that was last written {@link goneAfterMs} ago; `null` for a newer file, and
   * for one that cannot be read as a record.
   */
  async longUnwritten(file: string): Promise<Target | null> {
    const { clock, directory, fileSystem } = this.#place;
    try {
      const writtenAtMs = await fileSystem.modifiedAtMs(join(directory, file));
      return clock.now() - writtenAtMs < goneAfterMs ? null : (await this.read(file)).record.target;
    } catch {
      return null;
    }
  }

  /** @returns whether it succeeded */
  async remove(name: string): Promise<boolean> {
    const { directory, fileSystem } = this.#place;
    return fileSystem.remove(join(directory, name)).then(
      () => true,
      () => false,
    );
  }

  async #readText(file: string): Promise<string> {
    const { directory, fileSystem } = this.#place;
    try {
      return await fileSystem.read(join(directory, file), maxFileBytes);
    } catch (error) {
      if (error instanceof UnfitFileError) throw new DamagedRecordError(error.message);
      throw error;
    }
  }
}
