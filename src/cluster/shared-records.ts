/** The records that several daemons share. Each daemon serves all of them, and writes those of its cycles. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { Step, Taken } from '../model/advance.ts';
import { messageOf } from '../model/errors.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { KeyedQueue } from '../model/keyed-queue.ts';
import type { StorageStatus } from '../model/storage-status.ts';
import type { RedisHealth } from './redis-health.ts';
import type { CycleState, ReadAccount, RedisStore, StoredText } from './redis-store.ts';
import { shareRuns } from './share-runs.ts';

export interface SharedRecordsOptions {
  readonly store: RedisStore;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  readonly health: RedisHealth;
  /** The signal of the running cycle of an account; `null` when this daemon does not run it. */
  readonly turnOf: (account: string) => AbortSignal | null;
  /** The cycle of an account now runs on another daemon. */
  readonly onFenced: (account: string) => void;
  /** The present configuration. */
  readonly current: () => Config;
  /** Called with each record that another daemon wrote. */
  readonly onRead: (record: TargetRecord) => void;
  /** Called when Redis was found empty, and has again what this daemon knows. */
  readonly onEmptied: () => void;
}

/** What this daemon knows of an account in Redis. */
interface KnownAccount extends CycleState {
  /** The revision of the account that was last named. It must be read while `read` is lower. */
  named: number;
  /** The revision of the account when all of it was read. */
  read: number;
  /** The highest revision of a record that was read. */
  from: number;
  whole: number;
}

const unknown: KnownAccount = {
  member: '',
  isRunning: false,
  begunAtMs: 0,
  dueMs: 0,
  epoch: 0,
  named: 0,
  read: 0,
  from: 0,
  whole: 0,
};

interface KnownRecord {
  readonly key: string;
  readonly record: TargetRecord;
  readonly revision: number;
}

/** How many accounts are written back side by side. */
const restoredAtOnce = 50;

export class SharedRecords {
  readonly #options: SharedRecordsOptions;
  readonly #queue = new KeyedQueue();
  /** The revisions of the records that are shown. */
  readonly #revisions = new Map<string, number>();
  /** The targets whose last write failed. */
  readonly #failing = new Set<string>();
  readonly #accounts = new Map<string, KnownAccount>();
  #id = '';
  /** The highest revision that Redis has named. */
  #since = 0;
  /** The accounts of which Redis has lost something. */
  readonly #lost = new Set<string>();
  #failures = 0;
  #damaged = 0;

  constructor(options: SharedRecordsOptions) {
    this.#options = options;
  }

  get status(): StorageStatus {
    return {
      failures: this.#failures,
      damaged: this.#damaged,
      unwritten: this.#failing.size,
      problem: this.#options.health.problem,
    };
  }

  /** What Redis last said about each account. */
  get accounts(): ReadonlyMap<string, CycleState> {
    return this.#accounts;
  }

  /** The ID of the cluster in Redis that has what this daemon knows. */
  get id(): string {
    return this.#id;
  }

  /**
   * Reads what other daemons wrote. If Redis has lost something that this daemon knows, writes it back first. Never
   * rejects. A call sees everything before it.
   */
  readonly refresh = shareRuns(async () => {
    const { health, published } = this.#options;
    try {
      await this.#readNamed();
      health.worked('reading');
      published.hideCounters(false);
    } catch (error) {
      health.failed('reading', error);
      published.hideCounters(true);
    }
  });

  /** Reads the records of accounts, and of no others. */
  watch(names: ReadonlySet<string>): void {
    for (const [name, records] of this.#knownRecords()) {
      if (names.has(name)) continue;
      for (const { key } of records) this.#revisions.delete(key);
    }
    for (const name of this.#accounts.keys()) if (!names.has(name)) this.#accounts.delete(name);
    const added = [...names].filter((name) => !this.#accounts.has(name));
    for (const name of added) this.#accounts.set(name, { ...unknown });
    if (added.length === 0) return;
    this.#since = 0;
    void this.refresh();
  }

  async load(): Promise<void> {
    this.watch(new Set(this.#options.current().accounts.map(({ name }) => name)));
    await this.refresh();
  }

  start(): void {
    return undefined;
  }

  /**
   * Advances the record of a target, stores it, and publishes it. If Redis cannot be used, what was seen is published
   * with what was counted before, and the next poll finds the difference again. Never rejects.
   *
   * @returns `null` when another daemon may write the records of the account
   */
  keep(target: Target, step: Step): Promise<Taken | null> {
    const { published } = this.#options;
    const key = targetKey(target);
    return this.#queue.run(key, async () => {
      const before = published.get(key);
      // A reload has removed it.
      if (before === undefined) return null;
      // Both are read in one step: the record that is continued, and its revision.
      const continued = this.#revisions.get(key) ?? 0;
      const next = step(before);
      if (next === null) return null;
      const written = await this.#write(next.record, continued);
      if (written === 'refused') return null;
      if (written === 'failed') {
        const record = { ...next.record, counted: before.counted };
        published.publish(record);
        return { before, record, changes: [] };
      }
      // Another daemon may have replaced it meanwhile, and its record was read.
      if ((this.#revisions.get(key) ?? 0) > written) return { before, ...next };
      this.#revisions.set(key, written);
      published.publish(next.record);
      return { before, ...next };
    });
  }

  async close(): Promise<void> {
    await this.#options.store.close();
  }

  /** Reads in chunks, and keeps each: a line that breaks loses one of them. */
  async #readNamed(): Promise<void> {
    const { store } = this.#options;
    const { id, revisions: named } = await store.changed(this.#since);
    let revisions = named;
    const isEmptied = this.#id !== '' && id !== this.#id;
    // The revision that was last named is named again, unless Redis has lost writes.
    if (isEmptied || (this.#since > 0 && named.size === 0)) {
      for (const account of this.#accounts.keys()) this.#lost.add(account);
    }
    if (this.#lost.size > 0) {
      await this.#restore(id);
      const again = await store.changed(0);
      if (again.id !== id) throw new Error('Redis was emptied twice');
      ({ revisions } = again);
    }
    this.#id = id;
    if (isEmptied) this.#options.onEmptied();
    for (const [account, revision] of revisions) {
      const known = this.#accounts.get(account);
      if (known !== undefined) known.named = revision;
      this.#since = Math.max(this.#since, revision);
    }
    for (;;) {
      const pending = [...this.#accounts].filter(([, { named, read }]) => read !== named);
      if (pending.length === 0) return;
      const named = new Map(pending.map(([account, known]) => [account, known.named]));
      const from = new Map(pending.map(([account, known]) => [account, known.from]));
      for (const each of await store.read(from)) this.#apply(each, named.get(each.account) ?? 0);
    }
  }

  /** Writes back what Redis has lost, and reads all of it anew. */
  async #restore(id: string): Promise<void> {
    const records = this.#knownRecords();
    const lost = [...this.#lost];
    const restore = async (account: string) => {
      const known = this.#accounts.get(account);
      if (known !== undefined) {
        const { epoch } = known;
        await this.#options.store.restore(account, { id, epoch }, records.get(account) ?? []);
        Object.assign(known, { named: 0, read: 0, from: 0, whole: 0 });
      }
      this.#lost.delete(account);
    };
    for (let from = 0; from < lost.length; from += restoredAtOnce) {
      await Promise.all(lost.slice(from, from + restoredAtOnce).map(restore));
    }
    this.#since = 0;
  }

  #apply({ account, changed, isPart, state, whole }: ReadAccount, named: number): void {
    const known = this.#accounts.get(account);
    // A reload may have removed the account meanwhile.
    if (known === undefined) return;
    Object.assign(known, state);
    for (const each of changed) {
      known.from = Math.max(known.from, each.revision);
      if ((this.#revisions.get(each.key) ?? 0) < each.revision) this.#show(account, each);
    }
    if (whole !== known.whole) Object.assign(known, { whole, from: 0 });
    else if (!isPart) known.read = named;
  }

  /** The records whose revisions are known, by account. */
  #knownRecords(): ReadonlyMap<string, readonly KnownRecord[]> {
    const known = new Map<string, KnownRecord[]>();
    for (const [key, revision] of this.#revisions) {
      const record = this.#options.published.known(key);
      if (record === undefined) continue;
      const { account } = record.target;
      const records = known.get(account) ?? [];
      records.push({ key, record, revision });
      known.set(account, records);
    }
    return known;
  }

  #show(account: string, stored: StoredText): void {
    const { collectors, logger, onRead, published, store } = this.#options;
    const { key, revision } = stored;
    this.#revisions.set(key, revision);
    let record: TargetRecord;
    try {
      record = store.parse(account, stored);
    } catch (error) {
      this.#damaged += 1;
      const reason = messageOf(error);
      logger.error('a stored record is damaged; its target starts over', { record: key, reason });
      return;
    }
    const shown = published.get(key);
    if (shown === undefined) {
      published.add([record]);
      return;
    }
    // The counters of polls are those of this daemon.
    const { anomalies, failures, polls } = shown.seen.freshness;
    const freshness = { ...record.seen.freshness, anomalies, failures, polls };
    const own = { ...record, seen: { ...record.seen, freshness } };
    const { target } = shown;
    const next = isDeepStrictEqual(record.target, target)
      ? { ...own, target }
      : collectors.of(target).continueRecord(own, target);
    published.publish(next);
    onRead(next);
  }

  /**
   * @param continued the revision of the record that it continues
   * @returns its revision
   */
  async #write(record: TargetRecord, continued: number): Promise<number | 'refused' | 'failed'> {
    const { health, onFenced, store, turnOf } = this.#options;
    const { account } = record.target;
    const key = targetKey(record.target);
    if (turnOf(account)?.aborted !== false) return 'refused';
    try {
      const revision = await store.replace(record, continued);
      health.worked('writing');
      this.#failing.delete(key);
      if (typeof revision === 'number') return revision;
      if (revision === 'fenced') onFenced(account);
      else await this.#readAll(account);
      return 'refused';
    } catch (error) {
      this.#failures += 1;
      this.#failing.add(key);
      health.failed('writing', error);
      return 'failed';
    }
  }

  /** Redis has another record than this daemon knows: the newer one is kept, and the next poll continues it. */
  async #readAll(account: string): Promise<void> {
    this.#lost.add(account);
    await this.refresh();
  }
}
