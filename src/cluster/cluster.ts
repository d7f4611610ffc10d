/** Daemons that share the accounts of a configuration: who runs which cycle, and what everybody serves. */
import type { Redis, RedisOptions } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { ClusterConfig, Config } from '../config/config.ts';
import { cronRuns } from '../config/cron-runs.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';
import { configurationsOf, type ClusterStatus } from '../model/cluster-status.ts';
import { messageOf } from '../model/errors.ts';
import { forLast } from '../model/for-last.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { lastRun, type Runs } from '../model/runs.ts';
import type { AccountTurn, SharedCycles } from '../poll/poller.ts';
import { maxMissed } from '../poll/schedule.ts';
import type { FileStoreOptions } from '../state/file-store.ts';
import { StoreError } from '../state/store.ts';
import {
  CommandProblems,
  engineConnection,
  failFastConnection,
  replaceIfDead,
  warnOfEviction,
} from './connection.ts';
import { Cycles, type RunningCycle } from './cycles.ts';
import { configurationHash, heartbeat, leave, type Member } from './members.ts';
import { RedisClock } from './redis-clock.ts';
import { RedisHealth } from './redis-health.ts';
import { RedisStore } from './redis-store.ts';
import { shareRuns } from './share-runs.ts';
import { SharedRecords } from './shared-records.ts';
import { takeOverFiles } from './take-over.ts';

export { connectionOptions } from './connection.ts';

export interface ClusterOptions {
  readonly config: ClusterConfig;
  readonly connection: RedisOptions;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly version: string;
  /** The host and the process of this daemon. */
  readonly name: string;
  /** The present configuration. */
  readonly current: () => Config;
  /** Where one daemon alone has kept records. */
  readonly storagePath: string;
  readonly fileCalls: FileStoreOptions['calls'];
  readonly signal: AbortSignal;
  readonly touchMs?: number | undefined;
  /** The daemon cannot go on. */
  readonly onFatal: FileStoreOptions['onLockLost'];
  readonly onRead: (record: TargetRecord) => void;
  readonly runCycle: (
    account: string,
    turn: AccountTurn,
    how: { readonly missed: number; readonly onlyNew: boolean },
  ) => Promise<void>;
}

/** How often the records of targets that are gone are looked for. */
const housekeepingMs = 24 * 60 * 60 * 1_000;

/** How long a start waits for Redis. Without it, the daemon serves that it knows nothing yet. */
const firstAnswerMs = 2_000;

/** A cycle that waits for this long, and the lock, may have lost its job. */
const lostAfterMs = 5_000;

/** The neighbouring due times of a schedule. */
interface DueTimes {
  readonly runs: Runs | null;
  readonly lastMs: number | null;
  readonly nextMs: number;
}

export class Cluster implements SharedCycles {
  readonly records: SharedRecords;
  /** The time of Redis where that of this daemon differs. */
  readonly clock: RedisClock;
  readonly #options: ClusterOptions;
  readonly #redis: Redis;
  readonly #engine: Redis;
  readonly #store: RedisStore;
  readonly #health: RedisHealth;
  readonly #cycles: Cycles;
  readonly #id = randomUUID();
  readonly #startedAtMs: number;
  readonly #hashOf = forLast(configurationHash);
  readonly #runsOf = forLast(cronRuns);
  #members: readonly Member[] = [];
  /** When Redis told of them. */
  #toldAtMs = 0;
  /** Accounts with targets without a poll, whose job another daemon may have. */
  #added = new Set<string>();
  /** Whether the jobs of all accounts were added since Redis was found empty. */
  #areAdded = false;
  #isStarted = false;
  #between: DueTimes = { runs: null, lastMs: null, nextMs: -Infinity };
  #timer: NodeJS.Timeout | undefined;
  #housekeeping: NodeJS.Timeout | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { collectors, config, connection, logger, published } = options;
    const { lockMs, name: cluster } = config;
    const redis = failFastConnection(connection);
    const engine = engineConnection(connection);
    this.#redis = redis;
    this.#engine = engine;
    this.clock = new RedisClock(options.clock, logger);
    for (const each of [redis, engine]) {
      each.on('error', (error) => {
        logger.debug('connection to Redis', () => ({ reason: messageOf(error) }));
      });
    }
    redis.on('ready', () => void warnOfEviction(redis, logger));
    this.#startedAtMs = options.clock.now();
    this.#store = new RedisStore({ redis, cluster, collectors, lockMs });
    const problems = new CommandProblems(redis);
    this.#health = new RedisHealth(this.#store.address, (error) => problems.of(error), logger);
    this.#cycles = new Cycles({
      redis: engine,
      store: this.#store,
      cluster,
      member: this.#id,
      lockMs,
      knows: (account) => this.records.accounts.has(account),
      clusterId: () => this.records.id,
      onOtherId: () => this.records.refresh(),
      lastDueMs: () => this.#lastDueMs(),
      untilNextMs: () => this.#untilNextMs(),
      hasNew: (account) => this.#accountsWithNew().has(account),
      onFailed: (error) => {
        this.#health.failed('writing', error);
      },
      run: (cycle) => this.#run(cycle),
      logger,
    });
    this.records = new SharedRecords({
      store: this.#store,
      collectors,
      published,
      logger,
      health: this.#health,
      current: options.current,
      turnOf: (account) => this.#cycles.turnOf(account),
      onFenced: (account) => {
        this.#cycles.fenced(account);
      },
      onRead: options.onRead,
      onEmptied: () => {
        this.#areAdded = false;
      },
    });
  }

  /** Resolves when Redis answers, or after a time in which it usually does. */
  async connected(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    const signal = AbortSignal.timeout(firstAnswerMs);
    await once(this.#redis, 'ready', { signal }).catch(() => undefined);
  }

  /** Begins to add and to run cycles. */
  start(): void {
    void this.#keepHouse();
    this.#housekeeping = setInterval(() => void this.#keepHouse(), housekeepingMs).unref();
    this.#timer = setInterval(() => void this.#beat(), this.#options.config.lockMs / 3);
    this.#redis.on('ready', () => void this.#beat());
    void this.#beat();
  }

  /** Shows and polls these accounts, and no others. */
  watch(accounts: ReadonlySet<string>): void {
    const known = this.records.accounts;
    const areKnown = [...accounts].every((account) => known.has(account));
    this.records.watch(accounts);
    if (areKnown || !this.#isStarted) return;
    this.#areAdded = false;
    void this.#beat();
  }

  /** The schedule has changed: each job finds out when it is due. */
  rescheduled(): void {
    void this.#cycles.wake([...this.records.accounts.keys()]).catch(() => undefined);
  }

  added(accounts: ReadonlySet<string>): void {
    for (const account of accounts) this.#added.add(account);
    void this.#wakeNew();
  }

  extended(account: string): void {
    const dueMs = this.#lastDueMs();
    if (dueMs === null) return;
    // If it is lost, the cycle of this due time is run again.
    void this.#store.extend(account, dueMs).catch(() => undefined);
  }

  status(): ClusterStatus {
    const { clock, config } = this.#options;
    const sinceMs = Math.max(0, clock.now() - this.#toldAtMs);
    const members = this.#members.map(({ id, silentMs, ...member }) => ({
      ...member,
      silentMs: silentMs + sinceMs,
      isThis: id === this.#id,
    }));
    const accounts = () => this.#accountStatus();
    return {
      members,
      // A scrape reads the status once for each metric, and most of them need no accounts.
      get accounts() {
        return accounts();
      },
      lockMs: config.lockMs,
      takenOver: this.#cycles.takenOver,
      problem: this.#health.problem,
    };
  }

  /** Hands back the cycles that run here. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#housekeeping);
    this.#health.stop();
    await this.#cycles.stop();
    await leave(this.#redis, this.#options.config.name, this.#id).catch(() => undefined);
  }

  close(): void {
    this.#redis.disconnect();
    this.#engine.disconnect();
  }

  async #keepHouse(): Promise<void> {
    const { logger, published } = this.#options;
    const watches = (account: string) => this.records.accounts.has(account);
    const isLive = (key: string) => published.get(key) !== undefined;
    try {
      for (const key of await this.#store.removeGone(watches, isLive)) {
        published.forget(key);
        logger.info('record removed: its target has been gone for 30 days', { target: key });
      }
    } catch (error) {
      // Old records can wait for the next day.
      logger.debug('old records were not removed', () => ({ reason: messageOf(error) }));
    }
  }

  #accountStatus(): ClusterStatus['accounts'] {
    const names = new Map(this.#members.map(({ id, name }) => [id, name]));
    const waiting = this.#waitingSince();
    return [...this.records.accounts].map(([account, state]) => ({
      account,
      polledBy: names.get(state.member) ?? null,
      isRunning: state.isRunning,
      begunAtMs: state.begunAtMs || null,
      waitingSinceMs: waiting.get(account) ?? null,
    }));
  }

  /** Since when a cycle of an account is due that no daemon has begun; without the accounts that have none. */
  #waitingSince(): ReadonlyMap<string, number> {
    const untilMs = this.clock.now() - this.#options.current().poll.jitterMs;
    const runs = this.#runs();
    // Most accounts have the same due time, and a run of a schedule takes long to compute.
    const known = new Map<number, number | null>();
    const waiting = new Map<string, number>();
    for (const [account, { dueMs }] of this.records.accounts) {
      const sinceMs = known.get(dueMs) ?? (dueMs === 0 ? lastRun(runs, untilMs) : runs.next(dueMs));
      known.set(dueMs, sinceMs);
      if (sinceMs !== null && sinceMs <= untilMs) waiting.set(account, sinceMs);
    }
    return waiting;
  }

  async #run({ account, begun, dueMs, ...turn }: RunningCycle): Promise<void> {
    await this.records.refresh();
    const { finishedDueMs } = begun;
    const isKnown = finishedDueMs !== null && dueMs !== null;
    const missed = isKnown ? this.#runs().between(finishedDueMs, dueMs - 1, maxMissed) : 0;
    await this.#options.runCycle(account, turn, { missed, onlyNew: dueMs === null });
  }

  readonly #beat = shareRuns(async () => {
    const { clock, config, current, name, version } = this.#options;
    const configuration = this.#hashOf(current());
    const about = { name, version, configuration, startedAtMs: this.#startedAtMs };
    void replaceIfDead(this.#engine);
    try {
      const told = { ...about, id: this.#id, maxSilenceMs: config.lockMs };
      const { members, redisMs } = await heartbeat(this.#redis, config.name, told);
      this.#members = members;
      this.#toldAtMs = clock.now();
      this.clock.told(redisMs);
    } catch (error) {
      this.#health.failed('writing', error);
      await replaceIfDead(this.#redis);
      return;
    }
    this.#health.worked('writing');
    // An even share, unless some accounts are known to this daemon alone.
    const share = configurationsOf(this.#members) === 1 ? this.#members.length : 1;
    this.#cycles.setConcurrency(Math.ceil(this.records.accounts.size / share));
    await this.records.refresh();
    if (this.records.id === '' || !(await this.#takeOverFiles())) return;
    if (!this.#isStarted) this.#cycles.start();
    this.#isStarted = true;
    await this.#addJobs();
    await this.#wakeNew();
  });

  /** @returns whether it is done: before, no cycle of this daemon may begin */
  async #takeOverFiles(): Promise<boolean> {
    if (this.#isStarted) return true;
    const { fileCalls, onFatal, storagePath } = this.#options;
    try {
      await takeOverFiles({
        ...this.#options,
        directory: storagePath,
        calls: fileCalls,
        onLockLost: onFatal,
        watches: (account) => this.records.accounts.has(account),
        // Any revision of Redis is higher.
        restore: (account, records) =>
          this.#store.restore(
            account,
            { id: this.records.id, epoch: 0 },
            records.map((record) => ({ record, revision: 1 })),
          ),
      });
      await this.records.refresh();
      return true;
    } catch (error) {
      if (error instanceof StoreError) onFatal(error);
      else this.#health.failed('writing', error);
      return false;
    }
  }

  /** Adds the jobs of all accounts once, and those that may be lost. */
  async #addJobs(): Promise<void> {
    if (this.#engine.status !== 'ready') return;
    const { config, current, random } = this.#options;
    const lostMs = this.clock.now() - config.lockMs - lostAfterMs;
    const accounts = this.#areAdded
      ? [...this.#waitingSince()].flatMap(([account, sinceMs]) => (sinceMs < lostMs ? account : []))
      : [...this.records.accounts.keys()];
    if (accounts.length === 0) return;
    try {
      await this.#cycles.add(accounts, () => Math.floor(current().poll.jitterMs * random()));
      this.#areAdded = true;
      this.#health.worked('adding cycles');
    } catch (error) {
      this.#health.failed('adding cycles', error);
    }
  }

  /** Wakes the jobs of accounts with targets without a poll. The daemon that has one may not know the targets yet. */
  async #wakeNew(): Promise<void> {
    const waiting = this.#accountsWithNew();
    this.#added = new Set([...this.#added].filter((account) => waiting.has(account)));
    if (this.#engine.status !== 'ready') return;
    await this.#cycles.wake([...this.#added]).catch(() => undefined);
  }

  #accountsWithNew(): ReadonlySet<string> {
    const records = this.#options.published.all();
    const waiting = records.filter(({ seen }) => seen.freshness.lastPoll === null);
    return new Set(waiting.map(({ target }) => target.account));
  }

  #untilNextMs(): number {
    const { current, random } = this.#options;
    const nowMs = this.clock.now();
    return this.#dueTimes(nowMs).nextMs - nowMs + current().poll.jitterMs * random();
  }

  #lastDueMs(): number | null {
    return this.#dueTimes(this.clock.now()).lastMs;
  }

  /** The due times before and after now. They are computed once: every account asks for them. */
  #dueTimes(nowMs: number): DueTimes {
    const runs = this.#runs();
    const { lastMs, nextMs, runs: known } = this.#between;
    if (known !== runs || nowMs < (lastMs ?? nowMs) || nowMs >= nextMs) {
      this.#between = { runs, lastMs: lastRun(runs, nowMs), nextMs: runs.next(nowMs) ?? Infinity };
    }
    return this.#between;
  }

  #runs(): Runs {
    return this.#runsOf(this.#options.current().poll);
  }
}
