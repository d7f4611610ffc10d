/** The records that several daemons share. Each daemon serves all of them, and writes those of its cycles. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { RecordReplacement, RecordUpdater, RecordUpdate } from '../model/advance.ts';
import { KeyedQueue } from '../model/keyed-queue.ts';
import type { Clock } from '../model/clock.ts';
import type { StorageStatus } from '../model/monitor-status.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { continueRecord, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { goneAfterMs } from '../storage/record-keeper.ts';
import { StoreError } from '../storage/store.ts';
import type { RedisHealth } from './connection.ts';
import { cycleState, type CycleState, type RedisStore } from './redis-store.ts';
import { coalesce } from './coalesce.ts';
import type { Lease } from './lease.ts';

export interface SharedRecordsOptions {
  readonly store: RedisStore;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  /** Of Redis. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly health: RedisHealth;
  /** The present configuration. */
  readonly current: () => Config;
  /** Called with each record that another daemon wrote. */
  readonly onRead: (replaced: RecordReplacement) => void;
  /** Called when a newer version of the program wrote a record: this daemon must end. */
  readonly onFatal: (error: StoreError) => void;
}

/** What this daemon knows of an account in Redis. */
interface KnownAccount {
  cycle: CycleState;
  /** The revision of the account when it was read; -1 when it must be read, whatever Redis says of it. */
  read: number;
  /** The revisions of the records that are shown, by the key of the target. */
  readonly revisions: Map<string, number>;
}

/** How many accounts are read side by side. */
const accountsAtOnce = 5;

export class SharedRecords {
  /** The leases of this daemon, by account: in which of them it may write. */
  readonly leases = new Map<string, Lease>();
  readonly #options: SharedRecordsOptions;
  readonly #queue = new KeyedQueue();
  /** The targets whose last write failed. */
  readonly #failing = new Set<string>();
  readonly #accounts = new Map<string, KnownAccount>();
  #id = '';
  /** The highest revision that Redis has named. */
  #since = 0;
  #readAtMs = 0;
  #failures = 0;
  #damaged = 0;
  #isFatal = false;

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

  /** What Redis last said about the cycle of each account. */
  get cycles(): ReadonlyMap<string, CycleState> {
    return new Map([...this.#accounts].map(([account, { cycle }]) => [account, cycle]));
  }

  /** Whether the present configuration has an account. */
  isConfigured(account: string): boolean {
    return this.#accounts.has(account);
  }

  /** The ID of the cluster in Redis that has what this daemon knows. */
  get id(): string {
    return this.#id;
  }

  /** Whether what is known of Redis was read within a time. A scrape reads it too. */
  isRecent(maxAgeMs: number): boolean {
    return this.#id !== '' && performance.now() - this.#readAtMs < maxAgeMs;
  }

  /**
   * Reads what other daemons wrote. If Redis has lost something that this daemon knows, writes it back first. Never
   * rejects. A call sees everything before it.
   */
  readonly refresh = coalesce(async () => {
    const { health, published } = this.#options;
    try {
      await this.#readChanged();
      published.areCountersHidden = false;
    } catch (error) {
      health.failed(error);
      published.areCountersHidden = true;
    }
  });

  /**
   * Reads the records of accounts, and of no others.
   *
   * @returns whether some of them are new
   */
  configure(names: ReadonlySet<string>): boolean {
    for (const name of this.#accounts.keys()) if (!names.has(name)) this.#accounts.delete(name);
    const added = [...names].filter((name) => !this.#accounts.has(name));
    for (const name of added) {
      this.#accounts.set(name, { cycle: cycleState([]), read: -1, revisions: new Map() });
    }
    if (added.length > 0) void this.refresh();
    return added.length > 0;
  }

  async load(): Promise<void> {
    this.configure(new Set(this.#options.current().accounts.map(({ name }) => name)));
    await this.refresh();
  }

  /**
   * Advances the record of a target, stores it, and publishes it. If Redis cannot be used, what was seen is published
   * with what was counted before, and the next poll finds the difference again. Never rejects.
   *
   * @returns `null` when another daemon may write the records of the account
   */
  update(target: Target, step: RecordUpdater): Promise<RecordUpdate | null> {
    const { published } = this.#options;
    const key = targetKey(target);
    return this.#queue.run(key, async () => {
      const before = published.get(key);
      const revisions = this.#accounts.get(target.account)?.revisions;
      // A reload has removed it.
      if (before === undefined || revisions === undefined) return null;
      // Both are read in one step: the record that is continued, and its revision.
      const continued = revisions.get(key) ?? 0;
      const next = step(before);
      if (next === null) return null;
      const written = await this.#write(next.record, continued);
      if (written === 'refused') return null;
      if (written === 'failed') {
        const record = { ...next.record, durable: before.durable };
        published.publish(record);
        return { before, record, changes: [] };
      }
      // Another daemon may have replaced it meanwhile, and its record was read.
      if ((revisions.get(key) ?? 0) > written) return { before, ...next };
      revisions.set(key, written);
      published.publish(next.record);
      return { before, ...next };
    });
  }

  /** Waits for what is being stored. */
  async close(): Promise<void> {
    await this.#queue.idle();
  }

  /**
   * Reads what is newer of one account, after Redis has got back what it lost. What was read is kept when a line breaks.
   *
   * @param id the one of the cluster in Redis
   * @returns its cycle
   * @throws Error when Redis cannot be read
   */
  async read(account: string, id = this.#id): Promise<CycleState> {
    try {
      return await this.#read(account, id);
    } catch (error) {
      if (error instanceof StoreError && !this.#isFatal) {
        this.#isFatal = true;
        this.#options.onFatal(error);
      }
      throw error;
    }
  }

  async #read(account: string, id: string): Promise<CycleState> {
    const { logger, published, store } = this.#options;
    const { revisions, state } = await store.read(account);
    const known = this.#accounts.get(account);
    // A reload may have removed the account meanwhile.
    if (known === undefined) return state;
    const lost = [...known.revisions].flatMap(([key, revision]) => {
      const record = published.getOrGone(key);
      const isLost = (revisions.get(key) ?? 0) < revision && !this.#isGone(key, revision);
      return record !== undefined && isLost ? [{ record, revision }] : [];
    });
    if (lost.length > 0 || state.epoch < known.cycle.epoch) {
      await store.restore(account, { id, epoch: known.cycle.epoch }, lost);
    }
    known.cycle = state;
    const isNewer = (key: string, revision: number) => revision > (known.revisions.get(key) ?? 0);
    const newer = [...revisions].filter(([key, revision]) => isNewer(key, revision));
    for await (const { key, record, revision } of store.records(account, newer)) {
      if (!isNewer(key, revision)) continue;
      known.revisions.set(key, revision);
      if (record instanceof Error) {
        this.#damaged += 1;
        const { message: reason } = record;
        logger.error('a stored record is damaged; its target starts over', { record: key, reason });
      } else {
        this.#show(key, record);
      }
    }
    return state;
  }

  /**
   * Forgets the records of targets that are gone for 30 days.
   *
   * @returns the keys of the targets, to be removed from Redis
   */
  forgetGone(account: string): readonly string[] {
    const { logger, published } = this.#options;
    const { revisions } = this.#accounts.get(account) ?? { revisions: new Map<string, number>() };
    const gone = [...revisions.keys()].filter((key) => this.#isGone(key, revisions.get(key) ?? 0));
    for (const key of gone) {
      revisions.delete(key);
      published.forget(key);
      logger.info('record removed: its target has been gone for 30 days', { target: key });
    }
    return gone;
  }

  /** Whether the target of a record has been gone for 30 days. */
  #isGone(key: string, revision: number): boolean {
    const { clock, published } = this.#options;
    return revision < (clock.now() - goneAfterMs) * 1_000 && published.get(key) === undefined;
  }

  async #readChanged(): Promise<void> {
    const begunAtMs = performance.now();
    const mustReadAll = [...this.#accounts.values()].some(({ read }) => read === -1);
    const since = mustReadAll ? 0 : this.#since;
    const { id, revisions } = await this.#options.store.changed(since);
    // The revision that was last named is named again, unless Redis has lost writes.
    if ((this.#id !== '' && id !== this.#id) || (since > 0 && revisions.size === 0)) {
      for (const known of this.#accounts.values()) known.read = -1;
    }
    const pending = [...this.#accounts].filter(
      ([account, { read }]) => read === -1 || (revisions.get(account) ?? read) !== read,
    );
    for (let from = 0; from < pending.length; from += accountsAtOnce) {
      const reading = pending.slice(from, from + accountsAtOnce).map(async ([account, known]) => {
        await this.read(account, id);
        known.read = revisions.get(account) ?? 0;
      });
      await Promise.all(reading);
    }
    this.#id = id;
    this.#readAtMs = begunAtMs;
    this.#since = [...revisions.values()].at(-1) ?? since;
  }

  #show(key: string, record: TargetRecord): void {
    const { collectors, onRead, published } = this.#options;
    const shown = published.get(key);
    if (shown === undefined) {
      published.add([record]);
      return;
    }
    // The counters of polls are those of this daemon.
    const { anomalies, failures, polls } = shown.observed.freshness;
    const freshness = { ...record.observed.freshness, anomalies, failures, polls };
    const own = { ...record, observed: { ...record.observed, freshness } };
    const { target } = shown;
    const next = continueRecord(own, target, collectors.of(target));
    published.publish(next);
    onRead({ before: shown, record: next });
  }

  /**
   * @param continued the revision of the record that it continues
   * @returns its revision
   */
  async #write(record: TargetRecord, continued: number): Promise<number | 'refused' | 'failed'> {
    const { health, store } = this.#options;
    const { account } = record.target;
    const key = targetKey(record.target);
    const lease = this.leases.get(account);
    if (lease === undefined || lease.begun === null || lease.signal.aborted) return 'refused';
    try {
      const revision = await store.replace(record, lease.begun.epoch, continued);
      this.#failing.delete(key);
      if (typeof revision === 'number') return revision;
      if (revision === 'fenced') lease.end();
      // Redis has another record than this daemon knows: the newer one is kept, and the next poll continues it.
      else await this.read(account);
      return 'refused';
    } catch (error) {
      this.#failures += 1;
      this.#failing.add(key);
      health.failed(error);
      return 'failed';
    }
  }
}
