import { isDeepStrictEqual } from 'node:util';
import type { TargetRecord } from '../model/record.ts';
import { targetKey } from '../model/target.ts';

/** What of a record may be lost in a crash: it is neither compared nor counted. */
const uncounted: ReadonlySet<string> = new Set(['snapshot', 'freshness', 'trend']);

/**
 * What the storage is known to hold of each target. Snapshots and trends are not kept, because they need
 * memory. A trend changes only with the freshness.
 */
export class StoredParts {
  readonly #parts = new Map<string, TargetRecord>();

  /** The storage now holds this record. */
  note(record: TargetRecord): void {
    this.#parts.set(targetKey(record.target), { ...record, snapshot: null, trend: undefined });
  }

  /** Whether the storage holds this record. */
  holds(record: TargetRecord): boolean {
    const part = this.#parts.get(targetKey(record.target));
    return part?.freshness === record.freshness && this.holdsCounted(record);
  }

  /** Whether the storage holds this record, except perhaps for its gauges and its freshness. */
  holdsCounted(record: TargetRecord): boolean {
    const part = this.#parts.get(targetKey(record.target));
    if (part === undefined) return false;
    for (const key in record) {
      if (uncounted.has(key)) continue;
      if (!isDeepStrictEqual(Reflect.get(record, key), Reflect.get(part, key))) return false;
    }
    return true;
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#parts.keys()) if (!keys.has(key)) this.#parts.delete(key);
  }
}
