/** Takes over the records that one daemon alone has kept in files. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../log.ts';
import type { TargetRecord } from '../model/record.ts';
import { openFileStore, type FileStoreOptions } from '../state/file-store.ts';
import { recordFileName } from '../state/record-file.ts';

export interface TakeOverOptions extends FileStoreOptions {
  readonly logger: Logger;
  readonly watches: (account: string) => boolean;
  /** Gives Redis the records of an account that it lacks. Resolves when it has them. */
  readonly restore: (account: string, records: readonly TargetRecord[]) => Promise<void>;
}

/**
 * Gives Redis what it lacks, and moves the files of each account to `taken-over/` once Redis has its records: a Redis
 * that is emptied later never meets old files. A directory without records is not touched.
 *
 * @throws StoreError when a living daemon uses the directory, or it cannot be read
 */
export async function takeOverFiles(options: TakeOverOptions): Promise<void> {
  const { calls, directory, logger, restore, watches } = options;
  const read = () => readdir(directory).catch(() => []);
  const names = await calls.run('storage', directory, read);
  if (!names.some((name) => name.endsWith('.json'))) return;
  const store = await openFileStore(options);
  try {
    const { records } = await store.load();
    const accounts = new Set(records.map(({ target }) => target.account));
    for (const account of [...accounts].filter(watches)) {
      const own = records.filter(({ target }) => target.account === account);
      await restore(account, own);
      await moveAside(directory, own);
      const count = own.length;
      logger.info('records of files were taken over', { account, records: count, directory });
    }
  } finally {
    await store.close();
  }
}

async function moveAside(directory: string, records: readonly TargetRecord[]): Promise<void> {
  const aside = join(directory, 'taken-over');
  await mkdir(aside, { recursive: true, mode: 0o700 });
  for (const { target } of records) {
    const name = recordFileName(target);
    await rename(join(directory, name), join(aside, name));
  }
}
