/** The records that several daemons share. Each daemon serves all of them, and writes those of its cycles. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { Step, Taken } from '../model/advance.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { KeyedQueue } from '../model/keyed-queue.ts';
import type { StorageStatus } from '../model/storage-status.ts';
import { KnownRevisions } from './known-revisions.ts';
import type { RedisHealth } from './redis-health.ts';
import type { AccountState, RedisStore, RevisedRecord } from './redis-store.ts';
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
}

type KnownAccount = Omit<AccountState, 'changed' | 'damaged'>;

const unknownAccount: KnownAccount = {
  id: '',
  revision: 0,
  member: '',
  isRunning: false,
  begunAtMs: 0,
  dueMs: 0,
};

export class SharedRecords {
  readonly #options: SharedRecordsOptions;
  readonly #queue = new KeyedQueue();
  /** Of the records that Redis has. A record that is shown can be newer, after Redis has lost writes. */
  readonly #revisions = new KnownRevisions();
  /** The revisions of the records that are known. */
  readonly #shown = new Map<string, number>();
  /** The targets whose last write failed. */
  readonly #failing = new Set<string>();
  #accounts: ReadonlyMap<string, KnownAccount> = new Map();
  /** The accounts that the next reading reads. */
  #asked = new Set<string>();
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
  get accounts(): ReadonlyMap<string, KnownAccount> {
    return this.#accounts;
  }

  /** Reads what other daemons wrote, in one round trip. Never rejects. A call sees everything before it. */
  readonly refresh = (): Promise<void> => {
    for (const account of this.#accounts.keys()) this.#asked.add(account);
    return this.#readAsked();
  };

  /** Reads what other daemons wrote of one account, as `refresh` does. */
  refreshAccount(account: string): Promise<void> {
    this.#asked.add(account);
    return this.#readAsked();
  }

  /** Reads the records of accounts, and of no others. Those that are known are not read again. */
  watch(names: ReadonlySet<string>): void {
    const added = [...names].filter((name) => !this.#accounts.has(name));
    for (const [key, { target }] of this.#knownOf((name) => !names.has(name))) {
      this.#shown.delete(key);
      this.#revisions.forget(target.account, key);
    }
    this.#accounts = new Map(
      [...names].map((name) => [name, this.#accounts.get(name) ?? unknownAccount]),
    );
    for (const account of added) this.#asked.add(account);
    if (added.length > 0) void this.#readAsked();
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
      const continued = this.#revisions.of(target.account, key);
      const next = step(before);
      if (next === null) return null;
      const written = await this.#write(next.record, continued);
      if (written === 'refused') return null;
      if (written === 'failed') {
        const record = { ...next.record, counted: before.counted };
        published.publish(record);
        return { before, record, changes: [] };
      }
      this.#revisions.set(target.account, key, written);
      // Another daemon may have replaced it meanwhile, and its record was read.
      if ((this.#shown.get(key) ?? 0) > written) return { before, ...next };
      this.#shown.set(key, written);
      published.publish(next.record);
      return { before, ...next };
    });
  }

  async close(): Promise<void> {
    await this.#options.store.close();
  }

  readonly #readAsked = shareRuns(async () => {
    const { health, published, store } = this.#options;
    const known = new Map([...this.#accounts].filter(([account]) => this.#asked.has(account)));
    this.#asked = new Set();
    const areAll = known.size === this.#accounts.size;
    let states: ReadonlyMap<string, AccountState>;
    try {
      states = await store.changed(known);
    } catch (error) {
      health.failed('reading', error);
      published.hideCounters(true);
      return;
    }
    health.worked('reading');
    // While some accounts were not read since Redis answers again, their counters may be old.
    if (areAll) published.hideCounters(false);
    this.#apply(states);
  });

  #apply(states: ReadonlyMap<string, AccountState>): void {
    const accounts = new Map(this.#accounts);
    for (const [name, { changed, damaged, ...state }] of states) {
      // A reload may have removed the account meanwhile.
      if (!accounts.has(name)) continue;
      const known = accounts.get(name) ?? unknownAccount;
      // Redis lost what it knew of the account.
      if (state.id !== known.id) {
        for (const [key] of this.#knownOf((each) => each === name)) this.#shown.set(key, 0);
      }
      // Redis has lost its last writes, so this answer has every record.
      if (state.revision < known.revision) this.#revisions.forgetAll(name);
      this.#revisions.identified(name, state.id);
      accounts.set(name, state);
      for (const each of changed) {
        this.#revisions.set(name, each.key, each.revision);
        this.#read(each);
      }
      for (const { file, reason } of damaged) {
        this.#damaged += 1;
        this.#options.logger.error('a stored record is damaged; its target starts over', {
          record: file,
          reason,
        });
      }
    }
    this.#accounts = accounts;
  }

  /** The records of accounts whose revisions are known, by key. */
  #knownOf(isIt: (account: string) => boolean): readonly (readonly [string, TargetRecord])[] {
    const { published } = this.#options;
    return [...this.#shown.keys()].flatMap((key) => {
      const record = published.known(key);
      return record !== undefined && isIt(record.target.account) ? [[key, record] as const] : [];
    });
  }

  #read({ key, record, revision }: RevisedRecord): void {
    const { collectors, onRead, published } = this.#options;
    if (record === null || (this.#shown.get(key) ?? -1) >= revision) return;
    this.#shown.set(key, revision);
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
      if (revision === 'found') await this.#readAll(account);
      else if (revision === 'fenced') onFenced(account);
      else return revision;
      return 'refused';
    } catch (error) {
      this.#failures += 1;
      this.#failing.add(key);
      health.failed('writing', error);
      return 'failed';
    }
  }

  /** Redis has another record than this daemon knows. The next poll continues that one. */
  async #readAll(account: string): Promise<void> {
    const known = this.#accounts.get(account);
    if (known === undefined) return;
    this.#revisions.forgetAll(account);
    this.#accounts = new Map(this.#accounts).set(account, { ...known, revision: 0 });
    await this.refreshAccount(account);
  }
}
