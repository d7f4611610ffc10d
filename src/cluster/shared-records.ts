/**
 * The published records of a daemon that shares accounts, kept the same as those in Redis: `refresh` reads what other
 * daemons wrote, `update` writes what this daemon polled. `cluster.ts` creates them; the daemon uses them in place of
 * local records, and each rendering of an answer first calls `refresh`.
 */
import type { RecordReplacement, RecordUpdate, RecordUpdater } from '../model/advance.ts';
import { coalesce, KeyedQueue } from '../model/async.ts';
import type { StorageStatus } from '../model/monitor-status.ts';
import type { Written } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { removeGoneAfterMs, type RecordsOptions } from '../storage/local-records.ts';
import type { RedisConnections } from './connection.ts';
import { noCycleYet, type CycleState, type RedisStore } from './redis-store.ts';
import type { Lease } from './lease.ts';

/** Its clock is the one that agrees with Redis. */
export interface SharedRecordsOptions extends RecordsOptions {
  readonly store: RedisStore;
  readonly connections: RedisConnections;
  /** Called with each record that another daemon wrote. */
  readonly onRead: (replaced: RecordReplacement) => void;
}

/** What this daemon last read of an account in Redis, or wrote to it. */
interface AccountState {
  cycle: CycleState;
  /** The revision of the account when it was read; `null` when it must be read, whatever its revision is. */
  revision: number | null;
  /**
   * The revisions of the published records, by the key of the target. Redis must have each record with this revision or a
   * higher one; otherwise it has lost writes.
   */
  readonly recordRevisions: Map<string, number>;
}

/** How many accounts are read side by side. */
const accountsAtOnce = 5;

/** Publishes the records of all configured accounts, and writes those of the accounts whose cycles this daemon runs. */
export class SharedRecords {
  /** By account: the leases of this daemon, added and removed by `CycleJobs`. Without one, it writes nothing there. */
  readonly leases = new Map<string, Lease>();
  /** The ID of the cluster that this daemon last read; empty before the first time. Only this class sets it. */
  clusterId = '';
  readonly #options: SharedRecordsOptions;
  readonly #queue = new KeyedQueue();
  /** The targets whose last write failed. */
  readonly #failing = new Set<string>();
  readonly #accounts = new Map<string, AccountState>();
  /** The highest revision of an account that Redis has named; 0 before there is one. */
  #highestRevision = 0;
  /** When the last read of all accounts began, by `performance.now()`. */
  #readAtMs = 0;
  #failures = 0;
  #damaged = 0;

  constructor(options: SharedRecordsOptions) {
    this.#options = options;
  }

  /** For metrics, page and JSON. */
  get status(): StorageStatus {
    return {
      failures: this.#failures,
      damaged: this.#damaged,
      unwritten: this.#options.published.countCurrent(this.#failing),
      problem: this.#options.connections.problem,
    };
  }

  /** The cycle of each account, as last read. */
  get cycles(): ReadonlyMap<string, CycleState> {
    return new Map([...this.#accounts].map(([account, { cycle }]) => [account, cycle]));
  }

  /** Whether an account is among those of {@link setAccounts}. */
  isConfigured(account: string): boolean {
    return this.#accounts.has(account);
  }

  /** Whether all accounts were last read at most this long ago. A scrape and a heartbeat may have read them. */
  wasReadWithin(maxAgeMs: number): boolean {
    return this.clusterId !== '' && performance.now() - this.#readAtMs < maxAgeMs;
  }

  /**
   * Reads and publishes what other daemons wrote. If Redis has lost something that this daemon knows, writes it back first.
   * If Redis cannot be read, hides the counters of changes: another daemon may show higher ones. Includes every write that
   * completed before the call. Never rejects.
   */
  readonly refresh = coalesce(async () => {
    const { connections, published } = this.#options;
    try {
      await this.#readChanged();
      published.areCountersHidden = false;
    } catch (error) {
      connections.reportFailure(error);
      published.areCountersHidden = true;
    }
  });

  /** Replaces the accounts whose records are read. The next {@link refresh} reads those that are new. */
  setAccounts(names: ReadonlySet<string>): void {
    for (const name of this.#accounts.keys()) if (!names.has(name)) this.#accounts.delete(name);
    for (const name of names) {
      if (this.#accounts.has(name)) continue;
      this.#accounts.set(name, { cycle: noCycleYet, revision: null, recordRevisions: new Map() });
    }
  }

  /** See `UpdateRecord`. Stores every new record, also one whose durable half is unchanged: other daemons show its times. */
  update(target: Target, updater: RecordUpdater): Promise<RecordUpdate | null> {
    const { collectors, published } = this.#options;
    const write = (next: TargetRecord) => this.#write(next);
    return this.#queue.run(targetKey(target), () =>
      published.update(target, collectors.of(target), updater, write),
    );
  }

  /** Resolves when the updates that have begun are stored, or have failed. Never rejects. */
  async close(): Promise<void> {
    await this.#queue.idle();
  }

  /**
   * Reads and publishes the newer records of one account, after writing back what Redis has lost of it. When a connection
   * breaks, the records that were read stay published.
   *
   * @param id the cluster ID of Redis
   * @returns the cycle of the account
   * @throws Error when Redis cannot be read
   * @throws StoreError when a record is of a newer form
   */
  async read(account: string, id = this.clusterId): Promise<CycleState> {
    const { logger, published, store } = this.#options;
    const { revisions, state: cycle } = await store.readAccount(account);
    const lastRead = this.#accounts.get(account);
    // A reload may have removed the account meanwhile.
    if (lastRead === undefined) return cycle;
    const { recordRevisions } = lastRead;
    const lost = [...recordRevisions].flatMap(([key, revision]) => {
      const record = published.getOrGone(key);
      const isLost = (revisions.get(key) ?? 0) < revision && !this.#isGone(key, revision);
      return record !== undefined && isLost ? [{ record, revision }] : [];
    });
    if (lost.length > 0 || cycle.epoch < lastRead.cycle.epoch) {
      await store.restore(account, { id, epoch: lastRead.cycle.epoch }, lost);
    }
    lastRead.cycle = cycle;
    const isNewer = (key: string, revision: number) => revision > (recordRevisions.get(key) ?? 0);
    const newer = [...revisions].filter(([key, revision]) => isNewer(key, revision));
    for await (const { key, record, revision } of store.readRecords(account, newer)) {
      // Meanwhile this daemon may have written a newer one.
      if (!isNewer(key, revision)) continue;
      recordRevisions.set(key, revision);
      if (record instanceof Error) {
        this.#damaged += 1;
        const { message: reason } = record;
        logger.error('a stored record is damaged; its target starts over', { record: key, reason });
      } else {
        this.#publishRead(key, record);
      }
    }
    return cycle;
  }

  /**
   * Forgets the records of targets that have been gone for 30 days. The caller removes them from Redis.
   *
   * @returns the keys of these targets
   */
  forgetGone(account: string): readonly string[] {
    const { logger, published } = this.#options;
    const revisions = this.#accounts.get(account)?.recordRevisions ?? new Map<string, number>();
    const gone = [...revisions.keys()].filter((key) => this.#isGone(key, revisions.get(key) ?? 0));
    for (const key of gone) {
      revisions.delete(key);
      published.forget(key);
      logger.info('record removed: its target has been gone for 30 days', { target: key });
    }
    return gone;
  }

  /** True when the target is not configured, and its record was last written 30 days ago: revisions are microseconds. */
  #isGone(key: string, revision: number): boolean {
    const { clock, published } = this.#options;
    return revision < (clock.now() - removeGoneAfterMs) * 1_000 && published.get(key) === undefined;
  }

  /** Reads the accounts that changed since the last call; all accounts when Redis has lost writes. */
  async #readChanged(): Promise<void> {
    const begunAtMs = performance.now();
    const mustReadAll = [...this.#accounts.values()].some(({ revision }) => revision === null);
    const since = mustReadAll ? 0 : this.#highestRevision;
    const { id, revisions } = await this.#options.store.readChanges(since);
    const wasEmptied = this.clusterId !== '' && id !== this.clusterId;
    // The answer includes the account with the revision `since`, unless Redis has lost it.
    const hasLostWrites = since > 0 && revisions.size === 0;
    if (wasEmptied || hasLostWrites) {
      for (const state of this.#accounts.values()) state.revision = null;
    }
    const pending = [...this.#accounts].filter(([account, { revision }]) => {
      const hasChanged = revisions.has(account) && revisions.get(account) !== revision;
      return revision === null || hasChanged;
    });
    for (let from = 0; from < pending.length; from += accountsAtOnce) {
      const reading = pending.slice(from, from + accountsAtOnce).map(async ([account, state]) => {
        await this.read(account, id);
        state.revision = revisions.get(account) ?? 0;
      });
      await Promise.all(reading);
    }
    this.clusterId = id;
    this.#readAtMs = begunAtMs;
    this.#highestRevision = Math.max(since, ...revisions.values());
  }

  /** Publishes a record that another daemon wrote, with the poll counters of this daemon. */
  #publishRead(key: string, record: TargetRecord): void {
    const { collectors, onRead, published } = this.#options;
    const before = published.get(key);
    // No target of the plan: only the feed shows its changes.
    if (before === undefined) {
      published.publish(record);
      return;
    }
    const { anomalies, failures, polls } = before.observed.freshness;
    const freshness = { ...record.observed.freshness, anomalies, failures, polls };
    const withPolls = { ...record, observed: { ...record.observed, freshness } };
    const next = published.publishStored(withPolls, collectors.of(record.target));
    onRead({ before, record: next });
  }

  /**
   * Writes a record that continues the published one.
   *
   * @returns `refused` without a lease, or when another daemon has begun a cycle or replaced the record; `failed` when
   *   Redis cannot be used
   */
  async #write(record: TargetRecord): Promise<Written> {
    const { connections, store } = this.#options;
    const { account } = record.target;
    const key = targetKey(record.target);
    const lease = this.leases.get(account);
    const revisions = this.#accounts.get(account)?.recordRevisions;
    if (lease === undefined || lease.epoch === null || lease.signal.aborted) return 'refused';
    // A reload has removed the account.
    if (revisions === undefined) return 'refused';
    try {
      // The revision of the published record; 0: none is stored.
      const answer = await store.replace(record, lease.epoch, revisions.get(key) ?? 0);
      this.#failing.delete(key);
      if (answer === 'fenced') lease.end();
      // The record in Redis stays. Now that it is read and published, the next poll continues it.
      if (answer === 'conflict') await this.read(account);
      if (typeof answer === 'string') return 'refused';
      // Another daemon may have replaced the record meanwhile, and a newer one may be published.
      if ((revisions.get(key) ?? 0) > answer) return 'replaced';
      revisions.set(key, answer);
      return 'stored';
    } catch (error) {
      this.#failures += 1;
      this.#failing.add(key);
      connections.reportFailure(error);
      return 'failed';
    }
  }
}
