import { isDeepStrictEqual } from 'node:util';
import type { Counted, Freshness, TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

interface StoredPart {
  readonly target: Target;
  readonly counted: Counted;
  readonly freshness: Freshness;
}

/**
 * What the storage is known to hold of each target. Snapshots and trends are not kept, because they need
 * memory. A trend changes only with the freshness.
 */
export class StoredParts {
  readonly #parts = new Map<string, StoredPart>();

  /** The storage now holds this record. */
  note({ target, counted, seen }: TargetRecord): void {
    this.#parts.set(targetKey(target), { target, counted, freshness: seen.freshness });
  }

  /** Whether the storage holds this record. */
  holds(record: TargetRecord): boolean {
    const part = this.#parts.get(targetKey(record.target));
    return part?.freshness === record.seen.freshness && this.holdsCounted(record);
  }

  /** Whether the storage holds this record, except perhaps for its gauges and its freshness. */
  holdsCounted({ target, counted }: TargetRecord): boolean {
    const part = this.#parts.get(targetKey(target));
    return (
      part !== undefined &&
      isDeepStrictEqual(part.counted, counted) &&
      isDeepStrictEqual(part.target, target)
    );
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#parts.keys()) if (!keys.has(key)) this.#parts.delete(key);
  }
}
