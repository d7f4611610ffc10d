import { setTimeout as delay } from 'node:timers/promises';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import type { RecordUpdate, RecordUpdater } from '../model/advance.ts';
import { coalesce, KeyedQueue } from '../model/async.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import type { StorageStatus } from '../model/monitor-status.ts';
import type { PublishedRecords, Written } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { Store } from './file-store.ts';

/** What the records of a daemon need, in files or in Redis. */
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
/** Part of the 7 s of a stop: after it, the daemon ends whatever is stored. */
const maxStoringMs = 5_000;
/** A record is removed when its target is gone and was last polled this long ago. */
export const removeGoneAfterMs = 30 * 24 * 60 * 60 * 1_000;

/** Resolves when `part` of a stop has ended, and after 5 s at the latest. The part then goes on in the background. */
export async function withinStopTime(part: Promise<void>): Promise<void> {
  await Promise.race([part, delay(maxStoringMs, undefined, { ref: false })]);
}

/**
 * The records of one daemon alone, in a {@link Store}. A new durable half is stored at once, a new observed half every
 * 5 minutes and at the stop. The daemon creates it without `cluster`; with it, `SharedRecords` takes its place.
 */
export class LocalRecords {
  readonly #options: LocalRecordsOptions;
  /** Runs the updates and saves of one target one after the other. */
  readonly #queue = new KeyedQueue();
  /** The targets whose published record is newer than the stored one. */
  readonly #unstored = new Set<string>();
  /** The targets whose last save failed. */
  readonly #failing = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Saves observed halves, and removes records of targets that are gone. */
  readonly #tidy = coalesce(async () => {
    await this.#saveUnstored();
    await this.#removeGone();
  });
  #problem: string | null = null;
  #failures = 0;
  #damaged = 0;

  constructor(options: LocalRecordsOptions) {
    this.#options = options;
  }

  /** For metrics, page and JSON. */
  get status(): StorageStatus {
    const unwritten = this.#options.published.countCurrent(this.#failing);
    return { failures: this.#failures, damaged: this.#damaged, unwritten, problem: this.#problem };
  }

  /**
   * Reads and publishes what is stored. Called once, before the first update.
   *
   * @throws StoreError when the storage cannot be read
   */
  async load(): Promise<void> {
    const { published, store } = this.#options;
    const { damaged, records } = await store.load();
    for (const record of records) published.publish(record);
    this.#damaged = damaged;
  }

  /** Begins to tidy in each period. */
  start(): void {
    const { observedPeriodMs: periodMs = observedPeriodMs } = this.#options;
    this.#timer = setInterval(() => void this.#tidy(), periodMs).unref();
  }

  /** See `UpdateRecord`. Resolves when a new durable half is stored, or its save has failed. */
  update(target: Target, updater: RecordUpdater): Promise<RecordUpdate | null> {
    const key = targetKey(target);
    const save = async (next: TargetRecord, before: TargetRecord) => {
      this.#unstored.add(key);
      // A save that failed is tried again with the next poll.
      const mustSave = next.durable !== before.durable || this.#failing.has(key);
      return mustSave ? this.#save(key, next) : 'stored';
    };
    const rules = this.#options.collectors.of(target);
    return this.#queue.run(key, () => this.#options.published.update(target, rules, updater, save));
  }

  /**
   * Waits for saves under way, then tidies until 5 s have passed. Logs how many records are left. Never rejects.
   */
  async close(): Promise<void> {
    const { logger, store } = this.#options;
    clearInterval(this.#timer);
    const storing = async () => {
      await this.#queue.idle();
      await this.#tidy();
      await store.close();
    };
    await withinStopTime(storing());
    if (this.#unstored.size === 0) return;
    const message =
      'records were not stored before the end: the next start goes on with older ones';
    const reason = this.#problem ?? 'it is too slow';
    logger.warn(message, { records: this.#unstored.size, reason });
  }

  async #save(key: string, record: TargetRecord): Promise<Written> {
    const { logger, published, store } = this.#options;
    try {
      await store.save(record);
    } catch (error) {
      const reason = messageOf(error);
      const message = 'records cannot be stored; polling goes on, changes are counted later';
      if (this.#problem === null) logger.error(message, { reason });
      this.#problem = reason;
      this.#failures += 1;
      this.#failing.add(key);
      return 'failed';
    }
    this.#unstored.delete(key);
    this.#failing.delete(key);
    if (this.#problem !== null && published.countCurrent(this.#failing) === 0) {
      this.#problem = null;
      logger.info('records are stored again');
    }
    return 'stored';
  }

  /** Ends at the first part with a failure: a failing storage gets one attempt in each period, and one at the stop. */
  async #saveUnstored(): Promise<void> {
    const keys = [...this.#unstored];
    const save = (key: string) =>
      this.#queue.run(key, async () => {
        const record = this.#options.published.getOrGone(key);
        return record !== undefined && this.#unstored.has(key) ? this.#save(key, record) : 'stored';
      });
    for (let from = 0; from < keys.length; from += observedAtOnce) {
      const saved = await Promise.all(keys.slice(from, from + observedAtOnce).map(save));
      if (saved.includes('failed')) return;
    }
  }

  async #removeGone(): Promise<void> {
    const { clock, logger, published, store } = this.#options;
    const oldestMs = clock.now() - removeGoneAfterMs;
    for (const record of published.gone()) {
      const key = targetKey(record.target);
      if ((record.observed.freshness.lastPoll?.atMs ?? 0) > oldestMs) continue;
      // If the removal fails, the next start finds the record again.
      await store.remove(record).catch(() => undefined);
      published.forget(key);
      this.#unstored.delete(key);
      this.#failing.delete(key);
      logger.info('record removed: its target has been gone for 30 days', { target: key });
    }
  }
}
