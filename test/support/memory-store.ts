import type { TargetRecord } from '../../src/model/record.ts';
import { targetKey } from '../../src/model/target.ts';
import type { Store } from '../../src/storage/file-store.ts';
import { StoreError } from '../../src/storage/store-error.ts';

/** A store whose records end with the process. */
export function createMemoryStore(): Store {
  const records = new Map<string, TargetRecord>();
  let isClosed = false;
  const call = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    if (isClosed) throw new StoreError('closed', 'the store is closed');
    return work();
  };
  return {
    load: () => call(() => ({ records: [...records.values()], damaged: 0 })),
    save: (record) => call(() => void records.set(targetKey(record.target), record)),
    remove: ({ target }) => call(() => void records.delete(targetKey(target))),
    close: async () => {
      await Promise.resolve();
      isClosed = true;
    },
  };
}
