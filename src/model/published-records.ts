import type { Change } from './change.ts';
import { targetKey } from './target.ts';
import type { TargetRecord } from './record.ts';

/** Maximum number of changes in the feed. */
export const maxChanges = 1_000;

/**
 * The present record of every target, and the feed of changes. Metrics, pages and tables read nothing
 * else. It computes no records: they come from the poller and, at the start, from the store.
 */
export class PublishedRecords {
  readonly #records = new Map<string, TargetRecord>();
  /** The targets with an ended attempt since the start. */
  readonly #attempted = new Set<string>();
  /** The targets with a stored record that is not known yet. */
  readonly #provisional = new Set<string>();
  /** Records with counters that may be shown. A set of objects, because a lookup in it is fast. */
  readonly #counting = new WeakSet<TargetRecord>();
  #areCountersHidden = false;
  /** The newest last. They are cut to the length of the feed from time to time. */
  #changes = new Set<Change>();
  #feed: readonly Change[] | null = null;
  #revision = 0;

  /** Replaces the record of a target at the end of an attempt. */
  publish(record: TargetRecord, changes: readonly Change[] = []): void {
    this.#attempted.add(targetKey(record.target));
    this.replace(record, changes);
  }

  /** Replaces the record of a target without an attempt. */
  replace(record: TargetRecord, changes: readonly Change[] = []): void {
    this.#set(record);
    this.addChanges(changes);
    this.#revision += 1;
  }

  /**
   * Adds to the feed. The target of the changes may be gone. A reload may have published the record that
   * remembers them, before it was stored.
   */
  addChanges(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const change of changes) this.#changes.add(change);
    this.#feed = null;
    if (this.#changes.size > 2 * maxChanges) this.#changes = new Set(this.changes());
  }

  /**
   * Replaces all records at a start, a reload or a discovery, and keeps their order. Adds the changes that new
   * records remember to the feed.
   */
  replaceAll(records: readonly TargetRecord[]): void {
    this.remember(records.filter(({ target }) => !this.#records.has(targetKey(target))));
    this.#records.clear();
    for (const record of records) this.#set(record);
    for (const key of this.#provisional) {
      if (this.#records.has(key)) continue;
      this.#provisional.delete(key);
      this.#attempted.delete(key);
    }
    this.#revision += 1;
  }

  /**
   * Adds the changes that records remember to the feed. They may be in it: a start finds targets in several steps,
   * if there is discovery, and a target of a reload may have been here before.
   */
  remember(records: readonly TargetRecord[]): void {
    const recent = records.flatMap(({ counted }) => counted.recentChanges);
    // Of many records that are read late, each is added alone, and the feed is long.
    const times = new Set(recent.map(({ atMs }) => atMs));
    const known = new Set(
      this.changes()
        .filter(({ atMs }) => times.has(atMs))
        .map(identityOf),
    );
    const remembered = recent.filter((change) => !known.has(identityOf(change)));
    if (remembered.length === 0) return;
    const all = [...this.changes(), ...remembered].toSorted((a, b) => a.atMs - b.atMs);
    this.#changes = new Set(all.slice(-maxChanges));
    this.#feed = null;
  }

  /**
   * Sets whether the records of a target are provisional: without its stored record. Their counters must not
   * be shown. This applies to records that are published later.
   */
  setProvisional(key: string, isProvisional: boolean): void {
    if (isProvisional) this.#provisional.add(key);
    else this.#provisional.delete(key);
  }

  isProvisional(key: string): boolean {
    return this.#provisional.has(key);
  }

  /**
   * Whether the counters of changes of a record may be shown: after the end of the target's first attempt.
   * Before that, a stored counter may be lower than a value that the last process showed. The same is true for
   * a target that was removed while its records were provisional, and then returns.
   */
  showsCounters(record: TargetRecord): boolean {
    return !this.#areCountersHidden && this.#counting.has(record);
  }

  /**
   * Hides the counters of changes while they may be lower than those that another daemon shows. A counter that
   * is absent for a time is no fall.
   */
  hideCounters(areHidden: boolean): void {
    if (this.#areCountersHidden !== areHidden) this.#revision += 1;
    this.#areCountersHidden = areHidden;
  }

  /** A number that rises when a record is replaced. */
  get revision(): number {
    return this.#revision;
  }

  get(key: string): TargetRecord | undefined {
    return this.#records.get(key);
  }

  /** Every record, in the order of the configuration. */
  all(): readonly TargetRecord[] {
    return [...this.#records.values()];
  }

  /** At most the last {@link maxChanges} changes, oldest first. */
  changes(): readonly Change[] {
    this.#feed ??= [...this.#changes].slice(-maxChanges);
    return this.#feed;
  }

  #set(record: TargetRecord): void {
    const key = targetKey(record.target);
    this.#records.set(key, record);
    if (this.#attempted.has(key) && !this.#provisional.has(key)) this.#counting.add(record);
  }
}

/** Not with {@link targetKey}: it keeps the key of what it was asked about, and most changes are asked about once. */
function identityOf(change: Change): string {
  const { account, region, operation, resource, atMs, kind, quotaType, zone, from, to } = change;
  return JSON.stringify([
    account,
    region,
    operation,
    resource,
    atMs,
    kind,
    quotaType,
    zone,
    from,
    to,
  ]);
}
