import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../logging/logger.ts';
import type { Step, Taken } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { KeyedQueue } from './keyed-queue.ts';
import type { DamagedRecord, Store } from './store.ts';

export interface KeeperOptions {
  readonly store: Store;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long what was only seen may stay unstored. Defaults to 5 minutes; 0 stores it after each poll. */
  readonly seenPeriodMs?: number;
}

/** What pages and metrics show of the storage. */
export interface StorageStatus {
  /** The number of saves that failed. */
  readonly failures: number;
  /** The number of stored texts that hold no record. */
  readonly damaged: number;
  /** The number of records whose last save failed. */
  readonly unwritten: number;
  /** Why records cannot be stored at present; `null` while they can. */
  readonly problem: string | null;
}

const usualSeenPeriodMs = 5 * 60 * 1_000;
/** How many records that were only seen are written in a row, before what counts may go first. */
const seenAtOnce = 32;
/** How long a stop may take to store what was only seen. */
const maxStoringMs = 5_000;
/** How long the record of a target that is gone is kept, and how often the old ones are removed. */
export const goneAfterMs = 30 * 24 * 60 * 60 * 1_000;
const housekeepingMs = 24 * 60 * 60 * 1_000;

/**
 * Stores, then counts: what a poll counted is published after it is durable. If a save fails, what was seen is
 * published with what was counted before, and the next poll finds the difference again. So no value is ever taken
 * back, and a change is counted once.
 */
export class RecordKeeper {
  readonly #options: KeeperOptions;
  /** The replacements of a target's record, each from reading the one before to publishing. */
  readonly #queue = new KeyedQueue();
  /** The targets whose published record is newer than the stored one. */
  readonly #unstored = new Set<string>();
  /** The targets whose last save failed. */
  readonly #failing = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #problem: string | null = null;
  #failures = 0;
  #damaged = 0;
  #storingSeen: Promise<void> | null = null;
  #isStopping = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get status(): StorageStatus {
    const { size: unwritten } = this.#failing;
    return {
      failures: this.#failures,
      damaged: this.#damaged,
      unwritten,
      problem: this.#problem,
    };
  }

  /**
   * Reads everything that is stored.
   *
   * @throws StoreError when the storage cannot be read
   */
  async load(): Promise<void> {
    const { published, store } = this.#options;
    const { damaged, records } = await store.load();
    published.add(records);
    for (const each of damaged) this.#reportDamaged(each);
  }

  /** Begins what is done from time to time: storing what was only seen, and removing old records. */
  start(): void {
    const { seenPeriodMs = usualSeenPeriodMs } = this.#options;
    if (seenPeriodMs > 0) this.#every(seenPeriodMs, () => this.#storeSeen());
    this.#every(housekeepingMs, () => this.#removeGone());
    void this.#removeGone();
  }

  /**
   * Advances the record of a target, and publishes it. Resolves when the store has succeeded or failed, if the step
   * counted something. A step waits for the end of the one before it. Never rejects.
   *
   * @param step gives `null` when the record stays as it is
   * @returns what is published now: without the changes that could not be stored
   */
  keep(target: Target, step: Step): Promise<Taken | null> {
    const key = targetKey(target);
    return this.#queue.run(key, async () => {
      const before = this.#recordOf(target);
      const next = step(before);
      if (next === null) return null;
      const counts = next.record.counted !== before.counted;
      // What failed is tried again with the next poll.
      const mustSave = counts || this.#options.seenPeriodMs === 0 || this.#failing.has(key);
      if (!mustSave) this.#unstored.add(key);
      const isStored = mustSave && (await this.#save(key, next.record));
      if (isStored || !counts) {
        return { before, changes: next.changes, record: this.#publish(next.record) };
      }
      const record = { ...next.record, counted: before.counted };
      return { before, changes: [], record: this.#publish(record) };
    });
  }

  /** Stores what counts, then what was seen until 5 s have passed. Logs the rest. Never rejects. */
  async close(): Promise<void> {
    const { logger, store } = this.#options;
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    const ended = (async () => {
      await this.#queue.idle();
      await this.#storingSeen;
      await this.#storeKeys([...this.#unstored]);
      await store.close();
    })();
    await Promise.race([ended, passed(maxStoringMs)]);
    const reason = this.#problem ?? 'the storage is too slow';
    const waiting = this.#queue.keys();
    if (waiting.length > 0) {
      logger.error('records were not stored before the end; the next start finds their changes', {
        records: waiting.length,
        reason,
      });
    }
    if (this.#unstored.size > 0) {
      const records = this.#unstored.size;
      logger.warn('the last gauges were not stored before the end', { records, reason });
    }
  }

  /** The record that a poll continues. The target may have another selection than the record. */
  #recordOf(target: Target): TargetRecord {
    const { collectors, published } = this.#options;
    return published.get(targetKey(target)) ?? collectors.of(target).newRecord(target);
  }

  /** A reload may have changed the selection of the target while its record was stored. */
  #publish(record: TargetRecord): TargetRecord {
    const { collectors, published } = this.#options;
    const shown = published.get(targetKey(record.target));
    const next =
      shown === undefined || shown.target === record.target
        ? record
        : collectors.of(shown.target).continueRecord(record, shown.target);
    published.publish(next);
    return next;
  }

  /** @returns whether the record is durable */
  async #save(key: string, record: TargetRecord): Promise<boolean> {
    const { logger, store } = this.#options;
    this.#unstored.delete(key);
    try {
      await store.save(record);
    } catch (error) {
      this.#failures += 1;
      this.#failing.add(key);
      this.#unstored.add(key);
      const reason = messageOf(error);
      if (this.#problem === null) {
        logger.error('records cannot be stored; polling goes on, changes are counted later', {
          reason,
        });
      }
      this.#problem = reason;
      return false;
    }
    this.#failing.delete(key);
    if (this.#problem !== null && this.#failing.size === 0) {
      this.#problem = null;
      logger.info('records are stored again');
    }
    return true;
  }

  /** Stores what was only seen. A slow storage is not asked again before it has ended. */
  #storeSeen(): Promise<void> {
    this.#storingSeen ??= this.#storeKeys([...this.#unstored]).finally(() => {
      this.#storingSeen = null;
    });
    return this.#storingSeen;
  }

  async #storeKeys(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += seenAtOnce) {
      const saves = keys.slice(from, from + seenAtOnce).map((key) =>
        this.#queue.run(key, async () => {
          const record = this.#options.published.known(key);
          return record === undefined || !this.#unstored.has(key) || this.#save(key, record);
        }),
      );
      const areStored = await Promise.all(saves);
      // A storage that fails gets one attempt in each period, and one at the stop.
      if (areStored.includes(false)) return;
    }
  }

  async #removeGone(): Promise<void> {
    const { clock, logger, published, store } = this.#options;
    const oldestMs = clock.now() - goneAfterMs;
    for (const record of published.gone()) {
      const key = targetKey(record.target);
      if (this.#isStopping || (record.seen.freshness.lastPoll?.atMs ?? 0) > oldestMs) continue;
      try {
        await store.remove(record);
      } catch (error) {
        logger.warn('old records were not removed', { reason: messageOf(error) });
        return;
      }
      published.forget(key);
      this.#unstored.delete(key);
      this.#failing.delete(key);
      logger.info('record removed: its target has been gone for 30 days', { target: key });
    }
  }

  #reportDamaged({ file, movedTo, reason }: DamagedRecord): void {
    this.#damaged += 1;
    this.#options.logger.error('damaged record', { file, moved_to: movedTo, reason });
  }

  #every(periodMs: number, work: () => Promise<void>): void {
    this.#timers.push(setInterval(() => void work(), periodMs).unref());
  }
}

function passed(timeMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, timeMs).unref();
  });
}
