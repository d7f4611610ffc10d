import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../logging/logger.ts';
import type { Advance } from '../model/advance.ts';
import { catchUp } from '../model/catch-up.ts';
import type { Change } from '../model/change.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { RetryTimer, type RetryTiming } from './retry-timer.ts';
import { FoundRecordError, type DamagedFile, type LoadReport, type Store } from './store.ts';
import { UnreadTargets } from './unread-targets.ts';

export interface KeeperOptions {
  readonly store: Store;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  /** Called with the changes that are found when a stored record is read late. They come from no poll. */
  readonly onChanges: (record: TargetRecord, changes: readonly Change[]) => void;
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
  /** The last write of each target that is under way. */
  readonly #writing = new Map<string, Promise<TargetRecord | null>>();
  /** The targets whose last write failed. The first one is tried next. */
  readonly #failing = new Set<string>();
  /** Targets whose stored record is not known. It must not be replaced. */
  readonly #unread: UnreadTargets;
  /** Targets whose stored record was read late, and is being brought up to date. */
  readonly #catchingUp = new Map<string, Promise<TargetRecord>>();
  #failures = 0;
  #damagedFiles = 0;
  #writeProblem: string | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#unread = new UnreadTargets(options.published, options.logger);
    this.#retrying = new RetryTimer(() => this.#retry(), options.retry);
  }

  /** The number of failed writes. */
  get failures(): number {
    return this.#failures;
  }

  /** The number of stored files without a valid record. */
  get damagedFiles(): number {
    return this.#damagedFiles;
  }

  /** Why records cannot be stored at present; `null` while they can. */
  get problem(): string | null {
    const problems = [this.#writeProblem, this.#unread.problem].filter((each) => each !== null);
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
    this.#reportDamaged(report.damaged);
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

  /**
   * Stores the record that a poll gave. Never rejects. Resolves when the store has succeeded or failed.
   *
   * @returns what may be shown; without changes where the stored record of the target is not known
   */
  async keep(advance: Advance): Promise<Advance> {
    const key = targetKey(advance.record.target);
    const catchingUp = this.#catchingUp.get(key);
    if (catchingUp !== undefined)
      return this.keep(this.#caughtUp(await catchingUp, advance.record));
    if (this.#unread.has(key)) {
      this.#failures += 1;
      return { record: advance.record, changes: [] };
    }
    return this.#store(advance);
  }

  /**
   * Tries one last time to store everything. Never rejects.
   *
   * @returns the records that are not stored
   */
  async flush(): Promise<readonly TargetRecord[]> {
    this.#retrying.stop();
    await Promise.allSettled(this.#catchingUp.values());
    await Promise.all([...this.#unsaved.keys()].map((key) => this.#write(key)));
    const lost = [...this.#unsaved.values()];
    if (lost.length > 0) {
      this.#options.logger.error('records were not stored before the end', {
        records: lost.length,
        targets: lost.slice(0, maxNamed).map(({ target }) => targetKey(target)),
        reason: this.#writeProblem,
      });
    }
    return lost;
  }

  #rulesOf(target: Target) {
    return this.#options.collectors.of(target);
  }

  #caughtUp(stored: TargetRecord, shown: TargetRecord): Advance {
    return catchUp(stored, shown, this.#rulesOf(shown.target));
  }

  #present(key: string): TargetRecord | undefined {
    return this.#options.published.get(key) ?? this.#unsaved.get(key);
  }

  async #store(advance: Advance): Promise<Advance> {
    const key = targetKey(advance.record.target);
    this.#unsaved.set(key, advance.record);
    const found = await this.#write(key);
    if (found === null) return advance;
    const caughtUp = this.#continueFound(found, advance);
    this.#unsaved.set(key, caughtUp.record);
    await this.#write(key);
    return caughtUp;
  }

  /**
   * Decides between a record that this process has shown and another one that appeared in its file. If
   * this process has counted changes, its own record stays. Else the other one is continued, with its
   * counters from 0, because 0 was shown.
   */
  #continueFound(found: TargetRecord, advance: Advance): Advance {
    const { record } = advance;
    const isContinued = record.recentChanges.length === 0;
    this.#options.logger.error('a stored record appeared that was not known', {
      target: targetKey(record.target),
      continued: isContinued,
    });
    const { countFromZero } = this.#rulesOf(record.target);
    return isContinued ? this.#caughtUp(countFromZero(found), record) : advance;
  }

  /**
   * Writes the newest record of a target once the write under way has ended.
   *
   * @returns another record that was found in the file, which is then not replaced yet
   */
  #write(key: string): Promise<TargetRecord | null> {
    const before = this.#writing.get(key) ?? Promise.resolve();
    const writing = before.then(() => this.#writeNewest(key));
    this.#writing.set(key, writing);
    return writing.finally(() => {
      if (this.#writing.get(key) === writing) this.#writing.delete(key);
    });
  }

  async #writeNewest(key: string): Promise<TargetRecord | null> {
    const record = this.#unsaved.get(key);
    if (record === undefined) return null;
    try {
      await this.#options.store.save(record);
    } catch (error) {
      if (error instanceof FoundRecordError) return error.found;
      this.#writeFailed(key, error);
      return null;
    }
    if (this.#unsaved.get(key) === record) this.#unsaved.delete(key);
    this.#failing.delete(key);
    if (this.#writeProblem !== null && this.#failing.size === 0) {
      this.#options.logger.info('records are stored again', {});
      this.#writeProblem = null;
    }
    return null;
  }

  #writeFailed(key: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#writeProblem === null) {
      this.#options.logger.error('records cannot be stored; polling goes on', { reason });
    }
    this.#failures += 1;
    this.#failing.delete(key);
    this.#failing.add(key);
    this.#writeProblem = reason;
    this.#retrying.begin();
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
    for (const key of [...this.#failing]) {
      if (!this.#failing.has(key)) continue;
      const found = await this.#write(key);
      // A poll that ended meanwhile is about to show a newer record.
      const newest = this.#unsaved.get(key);
      if (found !== null && newest !== undefined) {
        await this.#catchUp(key, this.#continueFound(found, { record: newest, changes: [] }));
      }
      if (this.#failing.has(key)) return;
    }
  }

  async #readUnread(): Promise<void> {
    if (this.#unread.size === 0) return;
    const { published, store } = this.#options;
    const asked = this.#unread.all();
    const report = await store.load(asked).catch(() => null);
    if (report === null) return;
    this.#reportDamaged(report.damaged);
    const stored = new Map(report.records.map((each) => [targetKey(each.target), each]));
    const caughtUp = this.#unread.removeRead(asked, report.unread).map(async (target) => {
      const key = targetKey(target);
      const { newRecord } = this.#rulesOf(target);
      const shown = published.get(key) ?? newRecord(target);
      await this.#catchUp(key, this.#caughtUp(stored.get(key) ?? newRecord(target), shown));
    });
    await Promise.all(caughtUp);
  }

  /**
   * Stores and publishes a record that continues one that was read late. Polls of the target wait
   * meanwhile.
   */
  async #catchUp(key: string, advance: Advance): Promise<void> {
    const { onChanges, published } = this.#options;
    const caughtUp = this.#store(advance).then(({ record, changes }) => {
      this.#catchingUp.delete(key);
      published.setProvisional(key, false);
      const shown = published.get(key);
      if (shown === undefined) return record;
      // A reload may have changed the selection meanwhile.
      const continued = this.#rulesOf(shown.target).continueRecord(record, shown.target);
      published.replace(continued, changes);
      onChanges(continued, changes);
      return continued;
    });
    this.#catchingUp.set(key, caughtUp);
    await caughtUp;
  }

  #reportDamaged(damaged: readonly DamagedFile[]): void {
    this.#damagedFiles += damaged.length;
    for (const { file, movedTo, reason } of damaged) {
      this.#options.logger.error('damaged record', { file, moved_to: movedTo, reason });
    }
  }
}
