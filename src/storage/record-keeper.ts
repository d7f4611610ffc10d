import { setTimeout as delay } from 'node:timers/promises';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import type { RecordUpdater, RecordUpdate } from '../model/advance.ts';
import { KeyedQueue } from '../model/keyed-queue.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import type { StorageStatus } from '../model/monitor-status.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { continueRecord, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { Store } from './store.ts';

export interface KeeperOptions {
  readonly store: Store;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Defaults to {@link observedPeriodMs}. */
  readonly observedPeriodMs?: number;
}

/** How long what was only seen may stay unstored. */
export const observedPeriodMs = 5 * 60 * 1_000;
/** How many records that were only seen are written in a row, before what counts may go first. */
const observedAtOnce = 32;
/** How long a stop may take to store records. It is below the 8 s of a stop. */
const maxStoringMs = 5_000;
/** How long the record of a target that is gone is kept. */
export const goneAfterMs = 30 * 24 * 60 * 60 * 1_000;

/** Waits for a part of the stop that stores, but no longer than a stop may wait for it. */
export async function withinStopTime(storing: Promise<void>): Promise<void> {
  await Promise.race([storing, delay(maxStoringMs, undefined, { ref: false })]);
}

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
  #timer: NodeJS.Timeout | undefined;
  #tidying: Promise<void> | null = null;
  #problem: string | null = null;
  #failures = 0;
  #damaged = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  get status(): StorageStatus {
    const unwritten = this.#failing.size;
    return { failures: this.#failures, damaged: this.#damaged, unwritten, problem: this.#problem };
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
    this.#damaged = damaged;
  }

  /** Begins what is done from time to time: storing what was only seen, and removing old records. */
  start(): void {
    const tidy = async () => {
      await this.#storeSeen();
      await this.#removeGone();
      this.#tidying = null;
    };
    this.#timer = setInterval(() => {
      // A slow storage is not asked again before it has ended.
      this.#tidying ??= tidy();
    }, this.#options.observedPeriodMs ?? observedPeriodMs).unref();
  }

  /**
   * Advances the record of a target, and publishes it. Resolves when the store has succeeded or failed, if the step
   * counted something. A step waits for the end of the one before it. Never rejects.
   *
   * @param step gives `null` when the record stays as it is
   * @returns what is published now: without the changes that could not be stored. `null` also when the target is gone
   */
  update(target: Target, step: RecordUpdater): Promise<RecordUpdate | null> {
    const { published } = this.#options;
    const key = targetKey(target);
    return this.#queue.run(key, async () => {
      const before = published.get(key);
      // A reload has removed it.
      if (before === undefined) return null;
      const next = step(before);
      if (next === null) return null;
      const counts = next.record.durable !== before.durable;
      this.#unstored.add(key);
      // What failed is tried again with the next poll.
      const isStored = (counts || this.#failing.has(key)) && (await this.#save(key, next.record));
      const isTaken = isStored || !counts;
      const record = isTaken ? next.record : { ...next.record, durable: before.durable };
      return { before, changes: isTaken ? next.changes : [], record: this.#publish(record) };
    });
  }

  /** Stores what counts, then what was seen until 5 s have passed. Logs the rest. Never rejects. */
  async close(): Promise<void> {
    const { logger, store } = this.#options;
    clearInterval(this.#timer);
    const storing = async () => {
      await this.#queue.idle();
      await this.#tidying;
      await this.#storeSeen();
      await store.close();
    };
    await withinStopTime(storing());
    if (this.#unstored.size === 0) return;
    const message =
      'records were not stored before the end: the next start goes on with older ones';
    const reason = this.#problem ?? 'it is too slow';
    logger.warn(message, { records: this.#unstored.size, reason });
  }

  /** A reload may have changed the selection of the target while its record was stored. */
  #publish(record: TargetRecord): TargetRecord {
    const { collectors, published } = this.#options;
    const { target } = published.get(targetKey(record.target)) ?? record;
    const next = continueRecord(record, target, collectors.of(target));
    published.publish(next);
    return next;
  }

  /** @returns whether the record is durable */
  async #save(key: string, record: TargetRecord): Promise<boolean> {
    const { logger, store } = this.#options;
    try {
      await store.save(record);
    } catch (error) {
      const reason = messageOf(error);
      const message = 'records cannot be stored; polling goes on, changes are counted later';
      if (this.#problem === null) logger.error(message, { reason });
      this.#problem = reason;
      this.#failures += 1;
      this.#failing.add(key);
      return false;
    }
    this.#unstored.delete(key);
    this.#failing.delete(key);
    if (this.#problem !== null && this.#failing.size === 0) {
      this.#problem = null;
      logger.info('records are stored again');
    }
    return true;
  }

  /** A storage that fails gets one attempt in each period, and one at the stop. */
  async #storeSeen(): Promise<void> {
    const keys = [...this.#unstored];
    const store = (key: string) =>
      this.#queue.run(key, async () => {
        const record = this.#options.published.getOrGone(key);
        return record === undefined || !this.#unstored.has(key) || this.#save(key, record);
      });
    for (let from = 0; from < keys.length; from += observedAtOnce) {
      const areStored = await Promise.all(keys.slice(from, from + observedAtOnce).map(store));
      if (areStored.includes(false)) return;
    }
  }

  async #removeGone(): Promise<void> {
    const { clock, logger, published, store } = this.#options;
    const oldestMs = clock.now() - goneAfterMs;
    for (const record of published.gone()) {
      const key = targetKey(record.target);
      if ((record.observed.freshness.lastPoll?.atMs ?? 0) > oldestMs) continue;
      // What cannot be removed is there again after the next start.
      await store.remove(record).catch(() => undefined);
      published.forget(key);
      this.#unstored.delete(key);
      this.#failing.delete(key);
      logger.info('record removed: its target has been gone for 30 days', { target: key });
    }
  }
}
