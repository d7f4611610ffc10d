/** The records in the files of a storage directory, for a migration. */
import { messageOf } from '../model/errors.ts';
import type { TargetRecord } from '../model/record.ts';
import { openFileStore, type FileStoreOptions } from '../state/file-store.ts';
import { nodeFileSystem } from '../state/file-system.ts';
import { recordFileSuffix } from '../state/record-file.ts';
import { DamagedRecordError, RecordFiles } from '../state/record-files.ts';
import { StoreError } from '../state/store.ts';
import type { Contents, Place } from './migration.ts';

export type FilePlaceOptions = Pick<
  FileStoreOptions,
  'directory' | 'collectors' | 'clock' | 'calls'
>;

/**
 * Keeps daemons out of the directory until it is closed.
 *
 * @throws StoreLockedError when a daemon uses the directory
 */
export async function openFilePlace(options: FilePlaceOptions) {
  const { directory } = options;
  const store = await openFileStore({ ...options, onLockLost: () => undefined });
  const files = new RecordFiles({ ...options, fileSystem: nodeFileSystem, id: '' });
  const place: Place = {
    name: directory,
    read: () => readFiles(files, directory),
    write: async (_account, records) => {
      await store.load(records.map(({ target }) => target));
      await Promise.all(records.map((record) => store.save(record)));
    },
  };
  return { place, close: () => store.close() };
}

/** Unlike a start of a daemon, this moves no damaged file aside. */
async function readFiles(files: RecordFiles, directory: string): Promise<Contents> {
  const records: TargetRecord[] = [];
  const damaged: { name: string; reason: string }[] = [];
  try {
    for (const name of await files.list()) {
      if (!name.endsWith(recordFileSuffix)) continue;
      try {
        records.push((await files.read(name)).record);
      } catch (error) {
        if (!(error instanceof DamagedRecordError)) throw error;
        damaged.push({ name, reason: error.message });
      }
    }
  } catch (error) {
    throw new StoreError('unwritable', `${directory} cannot be read: ${messageOf(error)}`);
  }
  return { records, damaged };
}
