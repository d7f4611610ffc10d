import type { RecordUpdate, RecordUpdater } from './advance.ts';
import type { Change } from './change.ts';
import { continueRecord, newRecord, type RecordRules, type TargetRecord } from './record.ts';
import { targetKey, type Target } from './target.ts';

/** Maximum number of changes in the feed. */
export const maxChanges = 1_000;

/**
 * How the attempt to store a record ended. `refused`: this daemon must not write it. `replaced`: it was stored, and a newer
 * record of another daemon is published.
 */
export type Written = 'stored' | 'failed' | 'refused' | 'replaced';

/**
 * Every record of the process: those of the targets of the plan, which metrics, pages and tables show, and those of
 * targets that are gone, of which only the feed shows the changes. The storage (or the cluster) and the current plan write here;
 * the poller and all answers read here.
 */
export class PublishedRecords {
  /** In the order of the plan. */
  #current = new Map<string, TargetRecord>();
  readonly #gone = new Map<string, TargetRecord>();
  #feed: readonly Change[] | null = null;
  /**
   * True: metrics leave out the counters of changes, because they may be lower than those that another daemon of the
   * cluster shows. A counter that is absent for a time does not count as reset.
   */
  areCountersHidden = false;

  /** Adds stored records, of targets that no plan has yet. They count as gone until {@link setTargets} has them. */
  add(records: readonly TargetRecord[]): void {
    for (const record of records) this.#gone.set(targetKey(record.target), record);
    this.#feed = null;
  }

  /** Follows a plan: each of its targets goes on with its record, or begins a new one. All other targets are gone. */
  setTargets(targets: readonly Target[], rulesOf: (target: Target) => RecordRules): void {
    const before = this.#current;
    this.#current = new Map();
    for (const target of targets) {
      const key = targetKey(target);
      const last = before.get(key) ?? this.#gone.get(key);
      const rules = rulesOf(target);
      const record = last ? continueRecord(last, target, rules) : newRecord(target, rules);
      this.#current.set(key, record);
      this.#gone.delete(key);
    }
    for (const [key, record] of before) if (!this.#current.has(key)) this.#gone.set(key, record);
  }

  /** Replaces the record of a target, which may be gone. */
  publish(record: TargetRecord): void {
    const key = targetKey(record.target);
    const records = this.#current.has(key) ? this.#current : this.#gone;
    const before = records.get(key);
    records.set(key, record);
    if (before?.durable.recentChanges !== record.durable.recentChanges) this.#feed = null;
  }

  /**
   * Publishes a record that was stored, for the present target: a reload may have changed the target meanwhile.
   *
   * @returns the published record
   */
  publishStored(record: TargetRecord, rules: RecordRules): TargetRecord {
    const { target } = this.get(targetKey(record.target)) ?? record;
    const next = continueRecord(record, target, rules);
    this.publish(next);
    return next;
  }

  /**
   * Advances a record: it is stored, then counted. The durable half is published after it is stored. If that fails, the new
   * observed half is published with the old durable half, and the next poll finds the difference again. So no counter is
   * taken back, and a change is counted once.
   *
   * @param write stores the next record, if it must be stored now
   * @returns `null` when the record stays as it is, or the target is gone
   */
  async update(
    target: Target,
    rules: RecordRules,
    updater: RecordUpdater,
    write: (next: TargetRecord, before: TargetRecord) => Promise<Written>,
  ): Promise<RecordUpdate | null> {
    const before = this.get(targetKey(target));
    // A reload has removed the target.
    if (before === undefined) return null;
    const next = updater(before);
    if (next === null) return null;
    const written = await write(next.record, before);
    if (written === 'refused') return null;
    if (written === 'replaced') return { before, ...next };
    const isStored = written === 'stored';
    const record = isStored ? next.record : { ...next.record, durable: before.durable };
    const changes = isStored ? next.changes : [];
    return { before, changes, record: this.publishStored(record, rules) };
  }

  /** Forgets the record of a target that is gone. */
  forget(key: string): void {
    this.#gone.delete(key);
    this.#feed = null;
  }

  /** The record of a target of the plan, by {@link targetKey}. */
  get(key: string): TargetRecord | undefined {
    return this.#current.get(key);
  }

  /** The record of any target, also of one that is gone. */
  getOrGone(key: string): TargetRecord | undefined {
    return this.#current.get(key) ?? this.#gone.get(key);
  }

  /** The records of the targets of the plan, in its order. */
  all(): readonly TargetRecord[] {
    return [...this.#current.values()];
  }

  /** How many of the keys are of targets of the plan. */
  countCurrent(keys: ReadonlySet<string>): number {
    return [...keys].filter((key) => this.#current.has(key)).length;
  }

  /** The records of targets that are gone. */
  gone(): readonly TargetRecord[] {
    return [...this.#gone.values()];
  }

  /** The last {@link maxChanges} of the changes of all records, also of those that are gone, the oldest first. */
  changes(): readonly Change[] {
    this.#feed ??= [...this.#gone.values(), ...this.#current.values()]
      .flatMap(({ durable }) => durable.recentChanges)
      .toSorted((a, b) => a.atMs - b.atMs)
      .slice(-maxChanges);
    return this.#feed;
  }
}
