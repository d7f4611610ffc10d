/** Takes over the records that one daemon alone has kept in files. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileStore, type FileStoreOptions } from '../storage/file-store.ts';
import { recordFileName } from '../storage/record-file.ts';
import type { RedisStore } from './redis-store.ts';
import type { SharedRecords } from './shared-records.ts';

export interface TakeOverOptions extends FileStoreOptions {
  readonly store: RedisStore;
  readonly shared: SharedRecords;
}

/**
 * Gives Redis what it lacks, and moves the files of each account to `taken-over/` once Redis has its records: a Redis
 * that is emptied later never meets old files. A directory without records is not touched.
 *
 * @throws StoreError when a living daemon uses the directory, or it cannot be read
 */
export async function takeOverFiles(options: TakeOverOptions): Promise<void> {
  const { fileCalls, logger, shared, storagePath: directory, store } = options;
  const read = () => readdir(directory).catch(() => []);
  const names = await fileCalls.run('storage', directory, read);
  if (!names.some((name) => name.endsWith('.json'))) return;
  const files = await openFileStore(options);
  try {
    const { records } = await files.load();
    const aside = join(directory, 'taken-over');
    await mkdir(aside, { recursive: true, mode: 0o700 });
    const accounts = new Set(records.map(({ target }) => target.account));
    for (const account of [...accounts].filter((each) => shared.isConfigured(each))) {
      const own = records.filter(({ target }) => target.account === account);
      // Any revision of Redis is higher.
      const known = own.map((record) => ({ record, revision: 1 }));
      await store.restore(account, { id: shared.id, epoch: 0 }, known);
      for (const { target } of own) {
        const name = recordFileName(target);
        await rename(join(directory, name), join(aside, name));
      }
      const count = own.length;
      logger.info('records of files were taken over', { account, records: count, directory });
    }
  } finally {
    await files.close();
  }
  await shared.refresh();
}
