/** Daemons that share the accounts of a configuration: who runs which cycle, and what everybody serves. */
import type { Redis, RedisOptions } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { ClusterConfig, Config } from '../config/config.ts';
import type { Clock } from '../model/clock.ts';
import { configurationsOf, type ClusterStatus } from '../model/cluster-status.ts';
import { messageOf } from '../model/errors.ts';
import { forLast } from '../model/for-last.ts';
import type { TargetRecord } from '../model/record.ts';
import type { SharedCycles } from '../poll/poller.ts';
import type { FileStoreOptions } from '../state/file-store.ts';
import { StoreError } from '../state/store.ts';
import {
  engineConnection,
  failFastConnection,
  replaceIfDead,
  warnOfEviction,
} from './connection.ts';
import { Cycles, type CyclesOptions } from './cycles.ts';
import { DueTimes } from './due-times.ts';
import { configurationHash, heartbeat, leave, type Member } from './members.ts';
import { RedisClock } from './redis-clock.ts';
import { RedisHealth } from './redis-health.ts';
import { RedisStore } from './redis-store.ts';
import { shareRuns } from './share-runs.ts';
import { SharedRecords } from './shared-records.ts';
import { takeOverFiles } from './take-over.ts';
import type { Turn } from './turn.ts';

export { connectionOptions } from './connection.ts';

export interface ClusterOptions extends Pick<CyclesOptions, 'published' | 'runCycle' | 'logger'> {
  readonly config: ClusterConfig;
  readonly connection: RedisOptions;
  readonly collectors: CollectorSet;
  readonly clock: Clock;
  readonly random: () => number;
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
}

/** How long a start waits for Redis. Without it, the daemon serves that it knows nothing yet. */
const firstAnswerMs = 2_000;

/** A cycle that waits for this long, and the lock, may have lost its job. */
const lostAfterMs = 5_000;

export class Cluster implements SharedCycles {
  readonly records: SharedRecords;
  /** The time of Redis where that of this daemon differs. */
  readonly clock: RedisClock;
  readonly #options: ClusterOptions;
  readonly #redis: Redis;
  readonly #engine: Redis;
  readonly #store: RedisStore;
  readonly #health: RedisHealth;
  readonly #due: DueTimes;
  readonly #cycles: Cycles;
  readonly #turns = new Map<string, Turn>();
  readonly #id = randomUUID();
  readonly #startedAtMs: number;
  readonly #hashOf = forLast(configurationHash);
  #members: readonly Member[] = [];
  /** When Redis told of them. */
  #toldAtMs = 0;
  /** The ID of the cluster in Redis that has the jobs of all accounts. */
  #hasJobs = '';
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { collectors, config, connection, logger } = options;
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
    this.#health = new RedisHealth(redis, logger);
    this.#due = new DueTimes({ ...options, clock: this.clock });
    const parts = {
      ...options,
      clock: this.clock,
      store: this.#store,
      health: this.#health,
      due: this.#due,
      turns: this.#turns,
    };
    this.records = new SharedRecords(parts);
    this.#cycles = new Cycles({
      ...parts,
      redis: engine,
      records: this.records,
      cluster,
      member: this.#id,
      lockMs,
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
    this.#timer = setInterval(() => void this.#beat(), this.#options.config.lockMs / 3);
    this.#redis.on('ready', () => void this.records.refresh().then(this.#beat));
    this.#engine.on('ready', () => void this.#beat());
    void this.#beat();
  }

  /** Shows and polls these accounts, and no others. */
  watch(accounts: ReadonlySet<string>): void {
    const areKnown = [...accounts].every((account) => this.records.watches(account));
    this.records.watch(accounts);
    if (areKnown || !this.#isStarted) return;
    this.#hasJobs = '';
    void this.#beat();
  }

  /** The schedule has changed: each job finds out when it is due. */
  rescheduled(): void {
    void this.#cycles.wake(this.records.cycles.keys());
  }

  added(accounts: ReadonlySet<string>): void {
    void this.#cycles.wake(accounts);
  }

  extended(account: string): void {
    const turn = this.#turns.get(account);
    if (turn !== undefined) turn.dueMs = this.#due.last();
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
    this.#health.stop();
    await this.#cycles.stop();
    await leave(this.#redis, this.#options.config.name, this.#id).catch(() => undefined);
  }

  close(): void {
    this.#redis.disconnect();
    this.#engine.disconnect();
  }

  #accountStatus(): ClusterStatus['accounts'] {
    const names = new Map(this.#members.map(({ id, name }) => [id, name]));
    const waitingSince = this.#due.waitingSince();
    return [...this.records.cycles].map(([account, cycle]) => {
      const polledBy = names.get(cycle.member) ?? null;
      // A cycle that runs also serves the times that become due meanwhile.
      const isServed = cycle.isRunning && polledBy !== null;
      return {
        account,
        polledBy,
        isRunning: cycle.isRunning,
        begunAtMs: cycle.begunAtMs || null,
        waitingSinceMs: isServed ? null : waitingSince(cycle.finishedDueMs),
      };
    });
  }

  readonly #beat = shareRuns(async () => {
    const { clock, config, current, fileCalls, name, onFatal, storagePath, version } =
      this.#options;
    void replaceIfDead(this.#engine);
    try {
      const { members, redisMs } = await heartbeat(this.#redis, config.name, {
        id: this.#id,
        name,
        version,
        configuration: this.#hashOf(current()),
        startedAtMs: this.#startedAtMs,
        maxSilenceMs: config.lockMs,
      });
      this.#members = members;
      this.#toldAtMs = clock.now();
      this.clock.told(redisMs);
      // An even share, unless some accounts are known to this daemon alone.
      const share = configurationsOf(members) === 1 ? members.length : 1;
      this.#cycles.setConcurrency(Math.ceil(this.records.cycles.size / share));
      if (!this.records.isRecent(config.lockMs)) await this.records.refresh();
      if (this.records.id === '') return;
      if (!this.#isStarted) {
        // No cycle of this daemon may begin before.
        await takeOverFiles({
          ...this.#options,
          directory: storagePath,
          calls: fileCalls,
          onLockLost: onFatal,
          store: this.#store,
          shared: this.records,
        });
        this.#cycles.start();
        this.#isStarted = true;
      }
      await this.#addJobs();
      this.#health.worked('writing');
    } catch (error) {
      if (error instanceof StoreError) onFatal(error);
      else this.#health.failed('writing', error);
      await replaceIfDead(this.#redis);
    }
  });

  /** Adds the jobs of all accounts once, and those that may be lost. */
  async #addJobs(): Promise<void> {
    if (this.#engine.status !== 'ready') return;
    const { id } = this.records;
    const lostMs = this.clock.now() - this.#options.config.lockMs - lostAfterMs;
    const all = this.#accountStatus();
    const lost = all.filter(({ waitingSinceMs }) => (waitingSinceMs ?? Infinity) < lostMs);
    const accounts = (this.#hasJobs === id ? lost : all).map(({ account }) => account);
    if (accounts.length > 0) await this.#cycles.add(accounts);
    // A daemon that is gone, and whose clock was ahead, has put them off for too long.
    await this.#cycles.wake(lost.map(({ account }) => account));
    this.#hasJobs = id;
  }
}
