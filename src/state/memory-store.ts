import { targetKey } from '../model/target.ts';
import type { TargetRecord } from '../model/record.ts';
import { closedError, type LoadReport, type Store } from './store.ts';

/** A store whose records end with the process: for a single poll, and for tests. */
export function createMemoryStore(): Store {
  const records = new Map<string, TargetRecord>();
  let isClosed = false;
  return {
    load(targets): Promise<LoadReport> {
      if (isClosed) return Promise.reject(closedError());
      const found = targets.flatMap((target) => records.get(targetKey(target)) ?? []);
      return Promise.resolve({ records: found, damaged: [], unread: [] });
    },
    save(record) {
      if (isClosed) return Promise.reject(closedError());
      records.set(targetKey(record.target), record);
      return Promise.resolve();
    },
    /** Nothing is old in a store that ends with the process. */
    removeGone: () => Promise.resolve([]),
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
