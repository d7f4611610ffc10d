import { targetKey } from '../../src/model/target.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import { closedError, type LoadReport, type Store } from '../../src/state/store.ts';

/** A store in memory. Its records end with the process. */
export function createMemoryStore(): Store {
  const records = new Map<string, TargetRecord>();
  let isClosed = false;
  return {
    generation: 0,
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
    keepOnly: () => undefined,
    close() {
      isClosed = true;
      return Promise.resolve();
    },
  };
}
