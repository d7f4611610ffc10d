/** A record keeper that is given polls of launch templates, for tests of what it stores and shows. */
import { collectors } from '../../src/collectors/collectors.ts';
import type { Advance } from '../../src/model/advance.ts';
import type { Change } from '../../src/model/change.ts';
import { PublishedRecords } from '../../src/model/published-records.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import { targetKey, type Target } from '../../src/model/target.ts';
import { RecordKeeper } from '../../src/state/record-keeper.ts';
import type { Store } from '../../src/state/store.ts';
import { advance, newRecord } from './advance.ts';
import { silentLogger } from './silent-logger.ts';
import { templateSnapshot } from './snapshots.ts';

/** A poll that found this default version. */
export function polled(before: TargetRecord, version: number, nowMs = 1_000): Advance {
  const defaultVersion = { version, imageId: '', instanceType: '', chargeType: '' };
  const snapshot = templateSnapshot({ versions: [1, 2, 3], defaultVersion });
  return advance(before, { ok: true, snapshot, anomalies: [], durationMs: 1 }, nowMs);
}

/** A record with one change: the default version went from 1 to 2. */
export const withOneChange = (target: Target): TargetRecord =>
  polled(polled(newRecord(target), 1).record, 2).record;

type KeeperOptions = ConstructorParameters<typeof RecordKeeper>[0];

export function polledKeeper(store: Store, options: Partial<KeeperOptions> = {}) {
  const published = new PublishedRecords();
  const keeper = new RecordKeeper({
    store,
    collectors,
    published,
    logger: silentLogger,
    onLate: () => undefined,
    retry: { minMs: 5, maxMs: 5 },
    ...options,
  });
  const shown = (target: Target): TargetRecord => published.get(targetKey(target))!;
  return {
    keeper,
    published,
    shown,
    /** Polls a target as the poller does. */
    poll: async (target: Target, version: number): Promise<readonly Change[]> => {
      const taken = await keeper.keep(target, (before) => polled(before, version));
      return taken?.changes ?? [];
    },
  };
}
