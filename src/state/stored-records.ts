/** Reads stored records while a daemon may use them. Takes no lock and changes nothing. */
import { codeOf, messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { boundFileSystem } from './bounded-file-system.ts';
import type { FileStoreOptions } from './file-store.ts';
import { nodeFileSystem } from './file-system.ts';
import { recordFileName } from './record-file.ts';
import { RecordFiles } from './record-files.ts';

export interface StoredRecords {
  /** The records that were found, in no order. */
  readonly records: readonly TargetRecord[];
  /** Why other records cannot be read; each reason once. */
  readonly problems: readonly string[];
}

export type StoredRecordsOptions = Pick<FileStoreOptions, 'collectors' | 'calls' | 'fileSystem'>;

/** The stored records of targets. A directory or file that does not exist is no problem. */
export async function readStoredRecords(
  directory: string,
  targets: readonly Target[],
  { collectors, calls, fileSystem = nodeFileSystem }: StoredRecordsOptions,
): Promise<StoredRecords> {
  const files = new RecordFiles({
    collectors,
    directory,
    clock: { now: Date.now },
    fileSystem: boundFileSystem(fileSystem, calls),
    id: '',
  });
  const records: TargetRecord[] = [];
  const problems = new Set<string>();
  const attempt = async (read: () => Promise<void>, name: string) => {
    try {
      await read();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      const reason = messageOf(error);
      problems.add(`${name} cannot be read: ${reason}`);
    }
  };
  await attempt(async () => {
    const stored = new Set(await files.list());
    const wanted = targets.map(recordFileName).filter((file) => stored.has(file));
    const readOne = (file: string) =>
      attempt(
        async () => void records.push((await files.read(file)).record),
        `${directory}/${file}`,
      );
    await Promise.all(wanted.map(readOne));
  }, directory);
  return { records, problems: [...problems] };
}
