import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../logging/logger.ts';
import type { Step, Taken } from '../model/advance.ts';
import { catchUp } from '../model/catch-up.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { Turns } from './concurrency.ts';
import { DamagedFiles } from './damaged-files.ts';
import { FailingRecords } from './failing-records.ts';
import { continueFound } from './found-record.ts';
import { RetryTimer, type RetryTiming } from './retry-timer.ts';
import { FoundDamageError, FoundRecordError, type LoadReport, type Store } from './store.ts';
import { UnreadTargets } from './unread-targets.ts';

export interface KeeperOptions {
  readonly store: Store;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  /** Called when a stored record that was read late was continued, which no poll does. */
  readonly onLate: (taken: Taken) => void;
  readonly retry?: RetryTiming;
}

const nothingLoaded: LoadReport = { records: [], damaged: [], unread: [] };
/** How many targets a log line names. */
const maxNamed = 10;

/**
 * Stores and restores records for the daemon. It deals with a failing store: polling goes on, the failure
 * is logged once and counted, and each read or write that failed is tried again. Owns every record that
 * is not known to be stored.
 */
export class RecordKeeper {
  readonly #options: KeeperOptions;
  readonly #retrying: RetryTimer;
  /** The newest record of each target that is not known to be stored. */
  readonly #unsaved = new Map<string, TargetRecord>();
  /** Whatever replaces a target's record does so from reading the one before to publishing. */
  readonly #turns = new Turns();
  /** The targets whose last write failed. The first one is tried next. */
  readonly #failing: FailingRecords;
  /** Targets whose stored record is not known. It must not be replaced. */
  readonly #unread: UnreadTargets;
  readonly #damaged: DamagedFiles;
  /** The targets of the last restore, whose records may still be loaded. */
  #wanted: ReadonlySet<string> = new Set();
  #failures = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#damaged = new DamagedFiles(options.logger);
    this.#failing = new FailingRecords(options.logger);
    this.#unread = new UnreadTargets(options.published, options.logger);
    this.#retrying = new RetryTimer(() => this.#retry(), options.retry);
  }

  /** The number of failed writes. */
  get failures(): number {
    return this.#failures;
  }

  /** The number of stored files without a valid record. */
  get damagedFiles(): number {
    return this.#damaged.count;
  }

  /** Why records cannot be stored at present; `null` while they can. */
  get problem(): string | null {
    const problems = [this.#failing.problem, this.#unread.problem].filter((each) => each !== null);
    return problems.length === 0 ? null : problems.join('; ');
  }

  /**
   * Publishes a record for each of these targets, and for no other. It takes the published record, else
   * the one that is not stored yet, else the stored one, else a new one. It reads the storage only for
   * the last two. A target whose stored record cannot be read gets a provisional record until it can be
   * read.
   *
   * @param apply called right after the records were published, before any poll can end
   */
  async restore(targets: readonly Target[], apply: () => void = () => undefined): Promise<void> {
    const { published, store } = this.#options;
    const keys = new Set(targets.map(targetKey));
    this.#wanted = keys;
    const unknown: Target[] = [];
    // What gets stored while others are loaded is in no other place afterwards.
    const known = new Map<string, TargetRecord>();
    for (const target of targets) {
      const record = this.#present(targetKey(target));
      if (record === undefined) unknown.push(target);
      else known.set(targetKey(target), record);
    }
    const report = unknown.length === 0 ? nothingLoaded : await store.load(unknown);
    // Only now: those that are taken away were polled until here, and must not be stored.
    this.#unread.keepOnly(keys);
    for (const damaged of report.damaged) this.#damaged.found(damaged);
    for (const unread of report.unread) this.#unread.add(unread);
    if (report.unread.length > 0) this.#retrying.begin();

    // No `await` from here on, so that the result of a poll that ends meanwhile is not undone.
    const stored = new Map(report.records.map((each) => [targetKey(each.target), each]));
    published.replaceAll(
      targets.map((target) => {
        const key = targetKey(target);
        const record = this.#present(key) ?? known.get(key) ?? stored.get(key);
        const { continueRecord, newRecord } = this.#rulesOf(target);
        return record === undefined ? newRecord(target) : continueRecord(record, target);
      }),
    );
    apply();
  }

  /** Whether the record of a target is shown, will be, or is not stored yet. */
  isLive(target: Target): boolean {
    const key = targetKey(target);
    return this.#wanted.has(key) || this.#present(key) !== undefined;
  }

  /**
   * Advances the record of a target, stores it, and publishes what may be shown. Never rejects. Resolves
   * when the store has succeeded or failed. A step waits for the end of the one before it. Where a
   * reload removes the target meanwhile, only the changes are published.
   *
   * @param step gives `null` when the record stays as it is
   * @returns what may be shown; without changes where the stored record of the target is not known
   */
  keep(target: Target, step: Step): Promise<Taken | null> {
    const { published } = this.#options;
    const key = targetKey(target);
    return this.#turns.take(key, async () => {
      const before = published.get(key) ?? this.#rulesOf(target).newRecord(target);
      const next = step(before);
      if (next === null) return null;
      const taken = published.isProvisional(key)
        ? this.#notStored({ before, ...next })
        : await this.#store({ before, ...next });
      this.#show(taken, (record) => {
        published.publish(record, taken.changes);
      });
      return taken;
    });
  }

  /** Tries one last time to store everything. Never rejects. */
  async flush(): Promise<void> {
    await this.#retrying.stop();
    await Promise.all([...this.#unsaved.keys()].map((key) => this.#storeAgain(key)));
  }

  /**
   * Logs what is not known to be stored when the daemon ends.
   *
   * @returns these records
   */
  reportLost(): readonly TargetRecord[] {
    const lost = [...this.#unsaved.values()];
    if (lost.length > 0) {
      this.#options.logger.error('records were not stored before the end', {
        records: lost.length,
        targets: lost.slice(0, maxNamed).map(({ target }) => targetKey(target)),
        reason: this.#failing.problem ?? 'the storage is too slow',
      });
    }
    return lost;
  }

  #rulesOf(target: Target) {
    return this.#options.collectors.of(target);
  }

  #present(key: string): TargetRecord | undefined {
    return this.#options.published.get(key) ?? this.#unsaved.get(key);
  }

  /** A target whose stored record is not known counts no change. */
  #notStored(taken: Taken): Taken {
    this.#failures += 1;
    return { ...taken, changes: [] };
  }

  async #store(taken: Taken): Promise<Taken> {
    const found = await this.#write(taken.record);
    if (found === null) return taken;
    const continued = continueFound(found, taken, this.#options);
    await this.#write(continued.record);
    return continued;
  }

  /** @returns another record that was found in the file, which is then not replaced yet */
  async #write(record: TargetRecord): Promise<TargetRecord | null> {
    const key = targetKey(record.target);
    this.#unsaved.set(key, record);
    try {
      await this.#options.store.save(record);
    } catch (error) {
      if (error instanceof FoundRecordError) return error.found;
      if (error instanceof FoundDamageError) {
        this.#damaged.found(error.found);
        return this.#write(record);
      }
      this.#failures += 1;
      this.#failing.failed(key, error);
      this.#retrying.begin();
      return null;
    }
    this.#unsaved.delete(key);
    this.#failing.stored(key);
    return null;
  }

  /** @returns whether everything was stored and read */
  async #retry(): Promise<boolean> {
    await this.#readUnread();
    await this.#retryFailing();
    return this.#unread.size === 0 && this.#failing.size === 0;
  }

  /**
   * Stores the records that failed, one after the other, until one fails again. So a disk that is nearly
   * full gets only the records of polls and, from time to time, one more.
   */
  async #retryFailing(): Promise<void> {
    for (const key of this.#failing.all()) {
      if (!this.#failing.has(key)) continue;
      await this.#storeAgain(key);
      if (this.#failing.has(key) || this.#retrying.isStopped) return;
    }
  }

  #storeAgain(key: string): Promise<void> {
    return this.#turns.take(key, async () => {
      const record = this.#unsaved.get(key);
      if (record === undefined) return;
      const stored = await this.#store({ before: record, record, changes: [] });
      if (stored.record !== record) this.#showLate(stored);
    });
  }

  async #readUnread(): Promise<void> {
    if (this.#unread.size === 0) return;
    const { published, store } = this.#options;
    const asked = this.#unread.all();
    const report = await store.load(asked).catch(() => null);
    if (report === null) return;
    for (const damaged of report.damaged) this.#damaged.found(damaged);
    const read = new Map(report.records.map((each) => [targetKey(each.target), each]));
    const caughtUp = this.#unread.removeRead(asked, report.unread).map((target) => {
      const key = targetKey(target);
      return this.#turns.take(key, async () => {
        const rules = this.#rulesOf(target);
        const shown = published.get(key) ?? rules.newRecord(target);
        const before = read.get(key) ?? rules.newRecord(target);
        const stored = await this.#store({ before, ...catchUp(before, shown, rules) });
        published.setProvisional(key, false);
        this.#showLate(stored);
      });
    });
    await Promise.all(caughtUp);
  }

  /** Publishes a record that continues one that was read late. */
  #showLate(taken: Taken): void {
    const { onLate, published } = this.#options;
    this.#show(taken, (record) => {
      published.replace(record, taken.changes);
    });
    onLate(taken);
  }

  /** Publishes a record, unless a reload removed its target meanwhile. */
  #show({ record, changes }: Taken, publish: (record: TargetRecord) => void): void {
    const { published } = this.#options;
    const shown = published.get(targetKey(record.target));
    if (shown === undefined) {
      published.addChanges(changes);
      return;
    }
    const isSame = shown.target === record.target;
    // A reload may have changed the selection meanwhile.
    publish(isSame ? record : this.#rulesOf(shown.target).continueRecord(record, shown.target));
  }
}
