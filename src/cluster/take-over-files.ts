/**
 * Takes over the records of a daemon that ran without `cluster`: moves them from its files to Redis. Each heartbeat calls it
 * until it has succeeded, before the first cycle. A call after a failure goes on with the files that it has not moved.
 */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../model/errors.ts';
import { openFileStore, type FileStoreOptions } from '../storage/file-store.ts';
import { recordFileName } from '../storage/record-file.ts';
import type { RedisStore } from './redis-store.ts';
import type { SharedRecords } from './shared-records.ts';

/** Revisions of Redis are microseconds since 1970: 1 never overwrites a record there. */
const importedRevision = 1;
/** Files know no cycle that Redis could have lost. */
const noEpoch = 0;

/**
 * Gives Redis the records that it lacks. Then moves the files of each account to `taken-over/`, so that a Redis that is
 * emptied later never gets them again. A directory without records is not touched.
 *
 * @param options the directory of the files
 * @throws StoreError when a living daemon uses the directory, it cannot be read, or a record is of a newer form
 * @throws Error when Redis fails, or was emptied meanwhile: the files of the account in progress and of later ones stay
 */
export async function takeOverFiles(
  options: FileStoreOptions,
  store: RedisStore,
  shared: SharedRecords,
): Promise<void> {
  const { fileCalls, logger, storagePath: directory } = options;
  // `null`: it cannot be read, and `openFileStore` says why. A directory that does not exist has no records.
  const names = await fileCalls
    .run('storage', directory, () => readdir(directory))
    .catch((error: unknown) => (codeOf(error) === 'ENOENT' ? [] : null));
  if (names !== null && !names.some((name) => name.endsWith('.json'))) return;
  const files = await openFileStore(options);
  try {
    const { records } = await files.load();
    const importedPath = join(directory, 'taken-over');
    const create = () => mkdir(importedPath, { recursive: true, mode: 0o700 });
    await fileCalls.run('storage', importedPath, create);
    const accounts = new Set(records.map(({ target }) => target.account));
    for (const account of [...accounts].filter((name) => shared.isConfigured(name))) {
      const imported = records
        .filter(({ target }) => target.account === account)
        .map((record) => ({ record, revision: importedRevision }));
      await store.restore(account, { id: shared.clusterId, epoch: noEpoch }, imported);
      for (const { record } of imported) {
        const name = recordFileName(record.target);
        const [from, to] = [join(directory, name), join(importedPath, name)];
        await fileCalls.run('storage', from, () => rename(from, to));
      }
      const count = imported.length;
      logger.info('records of files were taken over', { account, records: count, directory });
    }
  } finally {
    await files.close();
  }
  await shared.refresh();
}
