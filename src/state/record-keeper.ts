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

export interface KeeperOptions {
  readonly store: Store;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  /** Called with changes that were found without a poll, when a stored record was read late. */
  readonly onChanges: (record: TargetRecord, changes: readonly Change[]) => void;
  readonly retry?: RetryTiming;
}

const nothingLoaded: LoadReport = { records: [], damaged: [], unread: [] };
/** How many targets a log line names. */
const maxNamed = 10;

/**
 * Stores and restores records on behalf of the daemon, and takes a failing store upon itself: polling
 * goes on, the failure is logged once and counted, and what could not be stored or read is tried
 * again. Owns every record that is not known to be stored.
 */
export class RecordKeeper {
  readonly #options: KeeperOptions;
  readonly #retrying: RetryTimer;
  /** The newest record of each target that is not known to be stored. */
  readonly #unsaved = new Map<string, TargetRecord>();
  /** The last write of each target that is under way. */
  readonly #writing = new Map<string, Promise<TargetRecord | null>>();
  /** The targets whose last attempt at storing failed; the one to be tried next comes first. */
  readonly #failing = new Set<string>();
  /** Targets whose stored record is not known: nothing is stored over it. */
  readonly #unread = new Map<string, Target>();
  /** Targets that are being caught up with a record that was read late. */
  readonly #catchingUp = new Map<string, Promise<TargetRecord>>();
  #failures = 0;
  #damagedFiles = 0;
  #writeProblem: string | null = null;
  #readProblem: string | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#retrying = new RetryTimer(() => this.#retry(), options.retry);
  }

  /** How many times a record could not be stored. */
  get failures(): number {
    return this.#failures;
  }

  /** How many stored files held no record. */
  get damagedFiles(): number {
    return this.#damagedFiles;
  }

  /** Why records cannot be stored at present; `null` while they can. */
  get problem(): string | null {
    if (this.#readProblem === null) return this.#writeProblem;
    const unread = `${this.#unread.size} stored records cannot be read: ${this.#readProblem}`;
    return this.#writeProblem === null ? unread : `${this.#writeProblem}; ${unread}`;
  }

  /**
   * Publishes a record for each of these targets, and for no other: the present one, else the one that
   * is not stored yet, else the stored one, else a new one. Only the last two look at the storage. A
   * target whose stored record cannot be read gets a provisional one until it can.
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
    for (const key of this.#unread.keys()) if (!keys.has(key)) this.#endUnread(key);
    this.#reportDamaged(report.damaged);
    for (const { target, reason } of report.unread) this.#beginUnread(target, reason);

    // Nothing is awaited from here on: a poll that ended meanwhile must not be undone.
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
   * Stores the record that a poll gave. Never rejects, and ends when the store does or fails.
   *
   * @returns what may be shown: no change of a target whose stored record is not known
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
   * Tries once more to store everything, and then no more. Never rejects.
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
   * Decides between a record that this process has shown and one that appeared under it. What was
   * counted here stands. While nothing was, the one that appeared is continued, and its counters
   * begin at 0, as they were shown.
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
   * @returns a record that was found in its place, which is then not replaced yet
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

  /** @returns whether everything is well again */
  async #retry(): Promise<boolean> {
    await this.#readUnread();
    await this.#retryFailing();
    return this.#unread.size === 0 && this.#failing.size === 0;
  }

  /**
   * Stores what failed, one record after the other, until one fails: on a disk that is nearly full, no
   * more is written than the records of the polls and one more from time to time.
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
    const asked = [...this.#unread];
    const report = await store.load(asked.map(([, target]) => target)).catch(() => null);
    if (report === null) return;
    this.#reportDamaged(report.damaged);
    const stillUnread = new Set(report.unread.map(({ target }) => targetKey(target)));
    const stored = new Map(report.records.map((each) => [targetKey(each.target), each]));
    // A reload meanwhile may have taken some away, and added others, of which the report says nothing.
    const read = asked.filter(([key]) => this.#unread.has(key) && !stillUnread.has(key));
    const caughtUp = read.map(async ([key, target]) => {
      this.#unread.delete(key);
      const { newRecord } = this.#rulesOf(target);
      const shown = published.get(key) ?? newRecord(target);
      await this.#catchUp(key, this.#caughtUp(stored.get(key) ?? newRecord(target), shown));
    });
    if (this.#unread.size === 0) {
      if (this.#readProblem !== null) this.#options.logger.info('stored records were read', {});
      this.#readProblem = null;
    } else {
      this.#readProblem = report.unread[0]?.reason ?? this.#readProblem;
    }
    await Promise.all(caughtUp);
  }

  /** Stores and publishes a record that continues one that was read late; polls wait meanwhile. */
  async #catchUp(key: string, advance: Advance): Promise<void> {
    const { onChanges, published } = this.#options;
    const caughtUp = this.#store(advance).then(({ record, changes }) => {
      this.#catchingUp.delete(key);
      published.setProvisional(key, false);
      const shown = published.get(key);
      if (shown === undefined) return record;
      // A reload meanwhile may have changed what is selected.
      const continued = this.#rulesOf(shown.target).continueRecord(record, shown.target);
      published.replace(continued, changes);
      onChanges(continued, changes);
      return continued;
    });
    this.#catchingUp.set(key, caughtUp);
    await caughtUp;
  }

  #beginUnread(target: Target, reason: string): void {
    if (this.#readProblem === null) {
      const message = 'stored records cannot be read; their counters are not shown until they are';
      this.#options.logger.error(message, { reason });
    }
    this.#readProblem = reason;
    this.#unread.set(targetKey(target), target);
    this.#options.published.setProvisional(targetKey(target), true);
    this.#retrying.begin();
  }

  #endUnread(key: string): void {
    this.#unread.delete(key);
    if (this.#unread.size === 0) this.#readProblem = null;
  }

  #reportDamaged(damaged: readonly DamagedFile[]): void {
    this.#damagedFiles += damaged.length;
    for (const { file, movedTo, reason } of damaged) {
      this.#options.logger.error('damaged record', { file, moved_to: movedTo, reason });
    }
  }
}
