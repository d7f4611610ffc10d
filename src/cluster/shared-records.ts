/** The records that several daemons share. Each daemon serves all of them, and writes those of its cycles. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import type { Step, Taken } from '../model/advance.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { neverPolled, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { shareRuns, KeyedQueue } from '../state/concurrency.ts';
import type { Records } from '../state/records.ts';
import { KnownRevisions } from './known-revisions.ts';
import type { RedisHealth } from './redis-health.ts';
import type { AccountState, RedisStore, RevisedRecord } from './redis-store.ts';
import { pause, type Timers } from './timers.ts';

export interface SharedRecordsOptions {
  readonly store: RedisStore;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  readonly health: RedisHealth;
  readonly timers: Timers;
  /** The signal of the running cycle of an account; `null` when this daemon does not run it. */
  readonly turnOf: (account: string) => AbortSignal | null;
  /** The cycle of an account now runs on another daemon. */
  readonly onFenced: (account: string) => void;
  /** Called with each record that another daemon wrote. */
  readonly onRead: (record: TargetRecord) => void;
}

/** The newest known record of a target. */
interface KnownRecord {
  readonly revision: number;
  readonly record: TargetRecord;
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

/** Time between two attempts to write a record while Redis cannot be used. */
const retryMs = 200;

export class SharedRecords implements Records {
  readonly #options: SharedRecordsOptions;
  readonly #queue = new KeyedQueue();
  readonly #records = new Map<string, KnownRecord>();
  /** Of the records that Redis has. A record that is shown can be newer, after Redis has lost writes. */
  readonly #revisions = new KnownRevisions();
  #accounts: ReadonlyMap<string, KnownAccount> = new Map();
  #targets: ReadonlyMap<string, Target> = new Map();
  /** The accounts that the next reading reads. */
  #asked = new Set<string>();
  #failures = 0;
  #damaged = 0;

  constructor(options: SharedRecordsOptions) {
    this.#options = options;
  }

  get failures(): number {
    return this.#failures;
  }

  get damaged(): number {
    return this.#damaged;
  }

  get problem(): string | null {
    return this.#options.health.problem;
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

  async restore(targets: readonly Target[], apply: () => void = () => undefined): Promise<void> {
    const { published } = this.#options;
    this.#targets = new Map(targets.map((target) => [targetKey(target), target]));
    const names = new Set(targets.map(({ account }) => account));
    this.#accounts = new Map(
      [...names].map((name) => [name, this.#accounts.get(name) ?? unknownAccount]),
    );
    await this.refresh();
    const shown = targets.map((target) => this.#present(target));
    published.replaceAll(shown.map(({ record }) => record));
    for (const { isStored, record } of shown) if (isStored) published.publish(record);
    apply();
  }

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
      const revision = await this.#write(next.record, continued);
      if (revision === null) return null;
      this.#revisions.set(target.account, key, revision);
      const known = this.#records.get(key)?.revision ?? 0;
      // Another daemon has replaced it meanwhile, and its record was read.
      if (known > revision) return { before, ...next };
      this.#records.set(key, { revision, record: next.record });
      if (known === revision) published.replace(next.record);
      else if (published.get(key) === undefined) published.addChanges(next.changes);
      else published.publish(next.record, next.changes);
      return { before, ...next };
    });
  }

  start(): void {
    return undefined;
  }

  isLive(target: Target): boolean {
    return this.#targets.has(targetKey(target));
  }

  forgetGone(): void {
    for (const [key, { record }] of this.#records) {
      if (!this.#accounts.has(record.target.account)) this.#records.delete(key);
    }
  }

  async close(): Promise<void> {
    await this.#options.store.close();
  }

  /** What was not stored was not counted either. The next poll finds it again. */
  reportLost(): readonly TargetRecord[] {
    return [];
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
      if (state.id !== known.id) this.#startOver(name);
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

  /** Redis lost what it knew of an account. */
  #startOver(account: string): void {
    for (const [key, { record }] of this.#records) {
      if (record.target.account === account) this.#records.set(key, { revision: 0, record });
    }
  }

  #read({ key, record, revision }: RevisedRecord): void {
    const { onRead, published } = this.#options;
    const known = this.#records.get(key);
    if (record === null || (known !== undefined && known.revision >= revision)) return;
    this.#records.set(key, { revision, record });
    const target = this.#targets.get(key);
    const before = published.get(key);
    if (target === undefined || before === undefined) return;
    const next = this.#continued(record, target);
    const changes = next.counted.recentChanges.filter(
      (change) => !before.counted.recentChanges.some((each) => isDeepStrictEqual(each, change)),
    );
    published.publish(next, changes);
    onRead(next);
  }

  #present(target: Target): { readonly record: TargetRecord; readonly isStored: boolean } {
    const known = this.#records.get(targetKey(target));
    return known === undefined
      ? { record: this.#rulesOf(target).newRecord(target), isStored: false }
      : { record: this.#continued(known.record, target), isStored: true };
  }

  /** A stored record as this daemon shows it: for the target's present selection, with its own counters of polls. */
  #continued(record: TargetRecord, target: Target): TargetRecord {
    const own = this.#options.published.get(targetKey(target))?.seen.freshness ?? neverPolled;
    const { anomalies, failures, polls } = own;
    const counted = {
      ...record,
      freshness: { ...record.seen.freshness, anomalies, failures, polls },
    };
    return isDeepStrictEqual(record.target, target)
      ? counted
      : this.#rulesOf(target).continueRecord(counted, target);
  }

  /**
   * @param continued the revision of the record that it continues
   * @returns its revision; `null` when this daemon may no longer write it
   */
  async #write(record: TargetRecord, continued: number): Promise<number | null> {
    const { health, onFenced, store, timers, turnOf } = this.#options;
    const { account } = record.target;
    for (;;) {
      const signal = turnOf(account);
      if (signal === null || signal.aborted) return null;
      try {
        const revision = await store.replace(record, continued);
        health.worked('writing');
        if (revision === 'found') await this.#readAll(account);
        else if (revision === 'fenced') onFenced(account);
        else return revision;
        return null;
      } catch (error) {
        this.#failures += 1;
        health.failed('writing', error);
        await pause(timers, retryMs, signal);
      }
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

  #rulesOf(target: Target) {
    return this.#options.collectors.of(target);
  }
}
