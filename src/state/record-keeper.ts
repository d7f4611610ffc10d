import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../logging/logger.ts';
import type { Step, Taken } from '../model/advance.ts';
import { catchUp } from '../model/catch-up.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { KeyedQueue } from './concurrency.ts';
import { DamagedFiles } from './damaged-files.ts';
import { continueFound } from './found-record.ts';
import { RecordWriter } from './record-writer.ts';
import { RetryTimer, type RetryTiming } from './retry-timer.ts';
import { Rounds } from './rounds.ts';
import type { LoadReport, Store } from './store.ts';
import { UnreadTargets, type LateRead } from './unread-targets.ts';

export interface KeeperOptions {
  readonly store: Store;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  /** Called when a stored record that was read late was continued, which no poll does. */
  readonly onLate: (taken: Taken) => void;
  readonly retry?: RetryTiming;
  /** How long gauges and freshness may stay unstored while nothing that counts changes. Defaults to 5 minutes. */
  readonly freshnessPeriodMs?: number;
}

const nothingLoaded: LoadReport = { records: [], damaged: [], unread: [] };
const defaultFreshnessPeriodMs = 5 * 60 * 1_000;
/** How many records a stop stores side by side. */
const storedAtOnce = 2;

/**
 * Stores and restores records for the daemon. A record is stored at once when something that is compared or
 * counted changed. Gauges and freshness alone are stored every 5 minutes and at the stop. It deals with a
 * failing store: polling goes on, the failure is logged once and counted, and each read or write that failed
 * is tried again. Owns every record that is not known to be stored.
 */
export class RecordKeeper {
  readonly #options: KeeperOptions;
  readonly #retrying: RetryTimer;
  readonly #writer: RecordWriter;
  /** The replacements of a target's record, each from reading the one before to publishing. */
  readonly #queue = new KeyedQueue();
  /** Targets whose stored record is not known. It must not be replaced. */
  readonly #unread: UnreadTargets;
  readonly #damaged: DamagedFiles;
  /** Stores the gauges and the freshness of each target. */
  readonly #rounds: Rounds;
  /** The targets of the last restore, whose records may still be loaded. */
  #wanted: ReadonlySet<string> = new Set();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#damaged = new DamagedFiles(options.logger);
    this.#unread = new UnreadTargets({ ...options, damaged: this.#damaged });
    this.#retrying = new RetryTimer(() => this.#retry(), options.retry);
    this.#writer = new RecordWriter({
      ...options,
      damaged: this.#damaged,
      onFailure: () => {
        this.#retrying.begin();
      },
    });
    this.#rounds = new Rounds({
      visit: (key) => this.#storeAgain(key),
      keys: () => this.#publishedKeys(),
      periodMs: options.freshnessPeriodMs ?? defaultFreshnessPeriodMs,
    });
  }

  /** Begins to store gauges and freshness, the first of them after a pause. */
  start(): void {
    this.#rounds.start();
  }

  /** The number of failed writes. */
  get failures(): number {
    return this.#writer.failures;
  }

  /** The number of stored files without a valid record. */
  get damagedFiles(): number {
    return this.#damaged.count;
  }

  /** Why records cannot be stored at present; `null` while they can. */
  get problem(): string | null {
    const problems = [this.#writer.problem, this.#unread.problem].filter((each) => each !== null);
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
    this.#writer.keepOnly(keys);
    this.#writer.noteLoaded(report.records);
    for (const damaged of report.damaged) this.#damaged.found(damaged);
    for (const unread of report.unread) this.#unread.add(unread);
    if (report.unread.length > 0) this.#retrying.begin();

    // No `await` from here on, so that the result of a poll that ends meanwhile is not undone.
    const stored = new Map(report.records.map((each) => [targetKey(each.target), each]));
    published.replaceAll(
      targets.map((target) => {
        const key = targetKey(target);
        const record = this.#present(key) ?? known.get(key) ?? stored.get(key);
        const rules = this.#rulesOf(target);
        if (record === undefined) return rules.newRecord(target);
        return isDeepStrictEqual(record.target, target)
          ? record
          : rules.continueRecord(record, target);
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
   * Advances the record of a target, stores what counts, and publishes what may be shown. Never rejects.
   * Resolves when the store has succeeded or failed. A step waits for the end of the one before it. Where a
   * reload removes the target meanwhile, only the changes are published.
   *
   * @param step gives `null` when the record stays as it is
   * @returns what may be shown; without changes where the stored record of the target is not known; `null` where
   *   the record stays as it is, or another process has the storage
   */
  keep(target: Target, step: Step): Promise<Taken | null> {
    const { published } = this.#options;
    const key = targetKey(target);
    return this.#queue.run(key, async () => {
      const before = published.get(key) ?? this.#rulesOf(target).newRecord(target);
      const next = step(before);
      if (next === null) return null;
      let taken: Taken = { before, record: next.record, changes: next.changes };
      if (published.isProvisional(key)) {
        // A target whose stored record is not known counts no change.
        this.#writer.refuse();
        taken = { ...taken, changes: [] };
      } else if (!this.#writer.holdsCounted(taken.record)) {
        taken = await this.#store(taken);
      }
      // Another process has the storage, and finds the same changes.
      if (this.#writer.isLockedOut) return null;
      this.#show(taken, (record) => {
        published.publish(record, taken.changes);
      });
      return taken;
    });
  }

  /** Tries one last time to store everything, what counts first. Never rejects. */
  async flush(): Promise<void> {
    await Promise.all([this.#retrying.stop(), this.#rounds.stop()]);
    await Promise.all(this.#writer.unsaved.map((key) => this.#storeAgain(key)));
    const rest = this.#publishedKeys().values();
    const storeRest = async () => {
      for (const key of rest) {
        if (this.#writer.problem !== null) return;
        await this.#storeAgain(key);
      }
    };
    await Promise.all(Array.from({ length: storedAtOnce }, storeRest));
  }

  /**
   * Logs what is not known to be stored when the daemon ends.
   *
   * @returns the records with something that counts
   */
  reportLost(): readonly TargetRecord[] {
    const outdated = this.#publishedKeys().filter((key) => this.#outdated(key) !== undefined);
    return this.#writer.reportLost(outdated.length);
  }

  #rulesOf(target: Target) {
    return this.#options.collectors.of(target);
  }

  #present(key: string): TargetRecord | undefined {
    return this.#options.published.get(key) ?? this.#writer.unsavedOf(key);
  }

  #publishedKeys(): readonly string[] {
    return this.#options.published.all().map(({ target }) => targetKey(target));
  }

  /** The record of a target if a poll ended since it was stored. */
  #outdated(key: string): TargetRecord | undefined {
    const { published } = this.#options;
    const shown = published.get(key);
    if (shown === undefined || shown.seen.freshness.lastPoll === null) return undefined;
    return published.isProvisional(key) || this.#writer.holds(shown) ? undefined : shown;
  }

  async #store(taken: Taken): Promise<Taken> {
    const found = await this.#writer.write(taken.record);
    if (found === null) return taken;
    const continued = continueFound(found, taken, this.#options);
    await this.#writer.write(continued.record);
    return continued;
  }

  /** @returns whether everything was stored and read */
  async #retry(): Promise<boolean> {
    const read = await this.#unread.read();
    await Promise.all(read.map((each) => this.#catchUp(each)));
    await this.#retryFailing();
    return this.#unread.size === 0 && this.#writer.failing.length === 0;
  }

  /**
   * Stores the records that failed, one after the other, until one fails again. So a disk that is nearly
   * full gets only the records of polls and, from time to time, one more.
   */
  async #retryFailing(): Promise<void> {
    for (const key of this.#writer.failing) {
      await this.#storeAgain(key);
      if (this.#writer.isFailing(key) || this.#retrying.isStopped) return;
    }
  }

  #storeAgain(key: string): Promise<void> {
    return this.#queue.run(key, async () => {
      const record = this.#writer.unsavedOf(key) ?? this.#outdated(key);
      if (record === undefined) return;
      const stored = await this.#store({ before: record, record, changes: [] });
      if (stored.record !== record) this.#showLate(stored);
    });
  }

  /** Continues the stored record of a target that was polled without it. */
  #catchUp({ target, stored }: LateRead): Promise<void> {
    const { published } = this.#options;
    const key = targetKey(target);
    return this.#queue.run(key, async () => {
      const rules = this.#rulesOf(target);
      const shown = published.get(key) ?? rules.newRecord(target);
      const before = stored ?? shown;
      const continued = await this.#store({ before, ...catchUp(stored, shown, rules) });
      published.setProvisional(key, false);
      this.#showLate(continued);
    });
  }

  /** Publishes a record that continues one that was read late. */
  #showLate(taken: Taken): void {
    const { onLate, published } = this.#options;
    this.#show(taken, (record) => {
      // The feed of a start has the changes of the records that could be read then.
      published.remember([record]);
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
