/**
 * The records of the process, which it shows: every update is stored, then published here. The storage (`local-records.ts`,
 * or `shared-records.ts` of a cluster) and the current plan write here; the poller and all answers read here.
 */
import type { RecordUpdate, RecordUpdater } from './advance.ts';
import type { Change } from './change.ts';
import { continueRecord, newRecord, type RecordRules, type TargetRecord } from './record.ts';
import { targetKey, type Target } from './target.ts';

/** Maximum number of changes in the feed. */
export const maxChanges = 1_000;

/**
 * How the attempt to store a record ended, and what {@link PublishedRecords.update} then publishes. `stored`, also if it need
 * not be stored yet: the record. `failed`, the storage cannot be used: only the observed half. `refused`, another daemon of
 * the cluster polls the account or wrote the record: nothing. `replaced`, it was stored, but a newer record of another
 * daemon is published already: nothing.
 */
export type Written = 'stored' | 'failed' | 'refused' | 'replaced';

/**
 * Every record of the process: those of the targets of the plan, which metrics, pages and tables show, and those of
 * targets that are gone, of which only the feed shows the changes.
 */
export class PublishedRecords {
  readonly #records = new Map<string, TargetRecord>();
  /** The keys of the targets of the plan, in its order. The other records are of targets that are gone. */
  #planned: ReadonlySet<string> = new Set();
  /** The result of {@link changes}; `null` once a record has other changes. */
  #feed: readonly Change[] | null = null;
  /**
   * True: metrics leave out the counters of changes, because they may be lower than those that another daemon of the
   * cluster shows. A counter that is absent for a time does not count as reset.
   */
  areCountersHidden = false;

  /** Follows a plan: each of its targets goes on with its record, or begins a new one. All other targets are gone. */
  setTargets(targets: readonly Target[], rulesOf: (target: Target) => RecordRules): void {
    for (const target of targets) {
      const key = targetKey(target);
      const last = this.#records.get(key);
      const rules = rulesOf(target);
      this.#records.set(key, last ? continueRecord(last, target, rules) : newRecord(target, rules));
    }
    this.#planned = new Set(targets.map(targetKey));
  }

  /** Adds or replaces the record of a target. One that no plan has counts as gone, until {@link setTargets} has it. */
  publish(record: TargetRecord): void {
    const key = targetKey(record.target);
    const before = this.#records.get(key);
    this.#records.set(key, record);
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
   * The caller runs the updates of one target one after the other.
   *
   * @param write stores the next record, if it must be stored now. Never rejects
   * @returns `null` when the record stays as it is, the target is gone, or the write is refused
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
    const advance = updater(before);
    if (advance === null) return null;
    const written = await write(advance.record, before);
    if (written === 'refused') return null;
    if (written === 'replaced') return { before, ...advance };
    if (written === 'stored') {
      return { before, ...advance, record: this.publishStored(advance.record, rules) };
    }
    const record = { ...advance.record, durable: before.durable };
    return { before, changes: [], record: this.publishStored(record, rules) };
  }

  /** Forgets the record of a target that is gone. That of a target of the plan stays. */
  forget(key: string): void {
    if (this.#planned.has(key)) return;
    this.#records.delete(key);
    this.#feed = null;
  }

  /** The record of a target of the plan, by {@link targetKey}. */
  get(key: string): TargetRecord | undefined {
    return this.#planned.has(key) ? this.getOrGone(key) : undefined;
  }

  /** The record of any target, also of one that is gone. */
  getOrGone(key: string): TargetRecord | undefined {
    return this.#records.get(key);
  }

  /** The records of the targets of the plan, in its order. */
  all(): readonly TargetRecord[] {
    return [...this.#planned].flatMap((key) => this.#records.get(key) ?? []);
  }

  /** How many of the keys are of targets of the plan. */
  countCurrent(keys: ReadonlySet<string>): number {
    return [...keys].filter((key) => this.#planned.has(key)).length;
  }

  /** The records of targets that are gone. */
  gone(): readonly TargetRecord[] {
    return [...this.#records].flatMap(([key, record]) => (this.#planned.has(key) ? [] : record));
  }

  /** The last {@link maxChanges} of the changes of all records, also of those that are gone, the oldest first. */
  changes(): readonly Change[] {
    this.#feed ??= [...this.#records.values()]
      .flatMap(({ durable }) => durable.recentChanges)
      .toSorted((a, b) => a.atMs - b.atMs)
      .slice(-maxChanges);
    return this.#feed;
  }
}
