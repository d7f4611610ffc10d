/**
 * Decides what is stored when, for a daemon that keeps its records in files, and goes on while the storage fails. The daemon
 * creates it; each poll stores by `update`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import type { RecordUpdater } from '../model/advance.ts';
import { KeyedQueue } from '../model/async.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import type { StorageStatus } from '../model/monitor-status.ts';
import type { PublishedRecords, Written } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { Store } from './file-store.ts';

/** What `createLocalRecords` needs for records in files, and `SharedRecords` for those in Redis. */
export interface RecordsOptions {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface LocalRecordsOptions extends RecordsOptions {
  readonly store: Store;
  /** Defaults to {@link observedPeriodMs}. */
  readonly observedPeriodMs?: number;
}

/** How long a new observed half may stay unstored, if the durable half is unchanged. */
export const observedPeriodMs = 5 * 60 * 1_000;
/** How many records with a new observed half are saved side by side. A new durable half waits for these at most. */
const observedAtOnce = 32;
/** Part of the 7 s of a stop: the daemon then ends, also if records are not stored. */
const maxStoringMs = 5_000;
/** A record is removed when its target is gone and was last polled this long ago. */
export const removeGoneAfterMs = 30 * 24 * 60 * 60 * 1_000;

/** Resolves when `part` of a stop has ended, and after 5 s at the latest. The part then goes on in the background. */
export async function withinStopTime(part: Promise<void>): Promise<void> {
  await Promise.race([part, delay(maxStoringMs, undefined, { ref: false })]);
}

/**
 * The records of one daemon alone, in a {@link Store}. A new durable half is stored at once, a new observed half every
 * 5 minutes and at the stop. The daemon creates them without `cluster`; with it, `SharedRecords` takes their place.
 */
export function createLocalRecords(options: LocalRecordsOptions) {
  const { clock, collectors, logger, published, store } = options;
  const { observedPeriodMs: periodMs = observedPeriodMs } = options;
  /** Runs the updates and saves of one target one after the other. */
  const queue = new KeyedQueue();
  /** The keys of targets whose published record is newer than the stored one. */
  const unstored = new Set<string>();
  /** The keys of targets whose last save failed. */
  const failing = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  /** The periodic work while it runs. */
  let tidying: Promise<void> | null = null;
  /** Why a save failed. `null` when none has, or all targets of the plan are stored again. */
  let problem: string | null = null;
  let failures = 0;
  let damaged = 0;

  /** Stores a record. Logs the first failure, and the end of failures. Never rejects. */
  const save = async (key: string, record: TargetRecord): Promise<Written> => {
    try {
      await store.save(record);
    } catch (error) {
      const message = 'records cannot be stored; polling goes on, changes are counted later';
      if (problem === null) logger.error(message, { reason: messageOf(error) });
      problem = messageOf(error);
      failures += 1;
      failing.add(key);
      return 'failed';
    }
    unstored.delete(key);
    failing.delete(key);
    if (problem !== null && published.countCurrent(failing) === 0) {
      problem = null;
      logger.info('records are stored again');
    }
    return 'stored';
  };

  /**
   * Saves every unstored record, 32 side by side. Ends after the first 32 with a failure: a failing storage is not asked again
   * before the next period, or the stop.
   */
  const saveUnstored = async () => {
    const keys = [...unstored];
    const saveQueued = (key: string) =>
      queue.run(key, async () => {
        // A save that ran before it in the queue may have stored the record.
        const record = published.getOrGone(key);
        return record !== undefined && unstored.has(key) ? save(key, record) : 'stored';
      });
    for (let from = 0; from < keys.length; from += observedAtOnce) {
      const saved = await Promise.all(keys.slice(from, from + observedAtOnce).map(saveQueued));
      if (saved.includes('failed')) return;
    }
  };

  /** Removes records of targets that have been gone for 30 days. Never rejects. */
  const removeGone = async () => {
    const oldestMs = clock.now() - removeGoneAfterMs;
    for (const record of published.gone()) {
      const key = targetKey(record.target);
      if ((record.observed.freshness.lastPoll?.atMs ?? 0) > oldestMs) continue;
      // If the removal fails, the next start finds the record again.
      await store.remove(record).catch(() => undefined);
      published.forget(key);
      unstored.delete(key);
      failing.delete(key);
      logger.info('record removed: its target has been gone for 30 days', { target: key });
    }
  };

  const tidy = async () => {
    await saveUnstored();
    await removeGone();
    tidying = null;
  };

  return {
    /** For metrics, page and JSON. */
    get status(): StorageStatus {
      return { failures, damaged, unwritten: published.countCurrent(failing), problem };
    },
    /**
     * Reads and publishes what is stored. Called once, before the first update.
     *
     * @throws StoreError when the storage cannot be read
     */
    load: async () => {
      const stored = await store.load();
      for (const record of stored.records) published.publish(record);
      ({ damaged } = stored);
    },
    /** Saves and removes in each period from now on, until `close`. */
    start: () => {
      timer = setInterval(() => {
        // While a slow storage still works on the last period, this one is left out.
        tidying ??= tidy();
      }, periodMs).unref();
    },
    /**
     * See `UpdateRecord`. Resolves when a new durable half is stored, or its save has failed. A new observed half alone waits
     * for the next period.
     */
    update: (target: Target, updater: RecordUpdater) => {
      const key = targetKey(target);
      const write = async (next: TargetRecord, before: TargetRecord) => {
        unstored.add(key);
        // A save that failed is tried again with the next poll.
        const mustSave = next.durable !== before.durable || failing.has(key);
        // `stored` lets the record be published, also if only its observed half is new and stays unstored.
        return mustSave ? save(key, next) : 'stored';
      };
      return queue.run(key, () => published.update(target, collectors.of(target), updater, write));
    },
    /** Waits for saves under way, and saves what is unstored, for at most 5 s. Logs how many are left. Never rejects. */
    close: async () => {
      clearInterval(timer);
      const storing = async () => {
        await queue.idle();
        await tidying;
        await saveUnstored();
        await store.close();
      };
      await withinStopTime(storing());
      if (unstored.size === 0) return;
      const message =
        'records were not stored before the end: the next start goes on with older ones';
      logger.warn(message, { records: unstored.size, reason: problem ?? 'it is too slow' });
    },
  };
}
