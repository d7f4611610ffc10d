/** Daemons that share the accounts of a configuration: who runs which cycle, and what everybody serves. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Redis, RedisOptions } from 'ioredis';
import type { ClusterConfig } from '../config/config.ts';
import type { Clock } from '../model/clock.ts';
import { countConfigurations, type ClusterStatus } from '../model/cluster-status.ts';
import { memoizePerObject } from '../model/memoize.ts';
import type { SharedCycles } from '../poll/poller-contracts.ts';
import type { FileStoreOptions } from '../storage/file-store.ts';
import { StoreError } from '../storage/store.ts';
import { connect, RedisHealth, replaceIfDead } from './connection.ts';
import { Cycles, isUnpolled, type CyclesOptions, type RunCycle } from './cycles.ts';
import { clusterKeys } from './keys.ts';
import { configurationHash, heartbeat, type About, type Member } from './members.ts';
import { RedisStore, type CycleState } from './redis-store.ts';
import { coalesce } from './coalesce.ts';
import { SharedRecords } from './shared-records.ts';
import { takeOverFiles } from './import-files.ts';
import { DueTimes } from '../schedule/due-times.ts';
import { RedisClock } from './redis-clock.ts';

export { connectionOptions } from './connection.ts';

/** The storage is the one where one daemon alone has kept records. */
export interface ClusterOptions
  extends FileStoreOptions, Pick<CyclesOptions, 'current' | 'onRead' | 'published'> {
  readonly config: ClusterConfig;
  readonly connection: RedisOptions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly about: Omit<About, 'configuration'>;
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
  readonly #id = randomUUID();
  readonly #hashOf = memoizePerObject(configurationHash);
  #members: readonly Member[] = [];
  /** When Redis told of them. */
  #heartbeatAtMs = 0;
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { connection, logger } = options;
    const { engine, redis } = connect(connection, logger);
    this.#redis = redis;
    this.#engine = engine;
    this.clock = new RedisClock(options.clock, logger);
    this.#health = new RedisHealth(redis, logger);
    const own = { ...options, redis, engine, health: this.#health, clock: this.clock };
    this.#store = new RedisStore(own);
    this.#due = new DueTimes(own);
    const parts = { ...own, member: this.#id, store: this.#store, due: this.#due };
    this.records = new SharedRecords(parts);
    this.#cycles = new Cycles({ ...parts, records: this.records });
  }

  /** Resolves when Redis answers, or after a time in which it usually does. */
  async connected(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    const signal = AbortSignal.timeout(firstAnswerMs);
    await once(this.#redis, 'ready', { signal }).catch(() => undefined);
  }

  /** Begins to add cycles, and to run them with `runCycle`. */
  start(runCycle: RunCycle): void {
    this.#cycles.runCycle = runCycle;
    this.#timer = setInterval(() => void this.#beat(), this.#options.config.lockMs / 3);
    this.#redis.on('ready', () => void this.records.refresh().then(this.#beat));
    this.#engine.on('ready', () => void this.#beat());
    void this.#beat();
  }

  /** Shows and polls these accounts, and no others. */
  configure(accounts: ReadonlySet<string>): void {
    if (this.records.configure(accounts) && this.#isStarted) void this.#beat();
  }

  /** The schedule has changed: each job finds out when it is due. */
  rescheduled(): void {
    void this.#cycles.wake([...this.records.cycles.keys()]);
  }

  added(accounts: ReadonlySet<string>): void {
    void this.#cycles.wake([...accounts]);
  }

  extended(account: string): void {
    const lease = this.records.leases.get(account);
    if (lease !== undefined) lease.dueMs = this.#due.lastDueMs();
  }

  status(): ClusterStatus {
    const { clock, config } = this.#options;
    const sinceMs = Math.max(0, clock.now() - this.#heartbeatAtMs);
    const members = this.#members.map(({ id, silentMs, ...member }) => ({
      ...member,
      silentMs: silentMs + sinceMs,
      isThis: id === this.#id,
    }));
    return {
      members,
      accounts: () => this.#accountStatus(),
      lockMs: config.lockMs,
      takenOver: this.#cycles.takenOver,
      problem: this.#health.problem,
    };
  }

  /** Hands back the cycles that run here. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#cycles.stop();
    const { members } = clusterKeys(this.#options.config.name);
    await this.#redis.hdel(members, this.#id).catch(() => undefined);
  }

  close(): void {
    // What fails from now on needs no line in the log.
    this.#health.problem = 'this daemon stops';
    this.#redis.disconnect();
    this.#engine.disconnect();
  }

  #accountStatus(): ReturnType<ClusterStatus['accounts']> {
    const names = new Map(this.#members.map(({ id, name }) => [id, name]));
    return [...this.records.cycles].map(([account, cycle]) => {
      const polledBy = names.get(cycle.member) ?? null;
      // A cycle that runs also serves the times that become due meanwhile.
      const isServed = cycle.isRunning && polledBy !== null;
      const waitingSinceMs = isServed ? null : this.#due.waitingSinceMs(cycle.finishedDueMs);
      return { account, polledBy, waitingSinceMs };
    });
  }

  readonly #beat = coalesce(async () => {
    const { about, clock, config, current, onFatal } = this.#options;
    void replaceIfDead(this.#engine);
    try {
      const { members, redisMs } = await heartbeat(this.#redis, config.name, {
        ...about,
        id: this.#id,
        configuration: this.#hashOf(current()),
        maxSilenceMs: config.lockMs,
      });
      this.#members = members;
      this.#heartbeatAtMs = clock.now();
      this.clock.setServerTime(redisMs);
      // An even share. Daemons that may know different accounts or targets take turns instead.
      const areSame = countConfigurations(members) === 1;
      this.#cycles.maxKeptJobs = areSame ? Math.ceil(this.records.cycles.size / members.length) : 0;
      if (!this.records.isRecent(config.lockMs)) await this.records.refresh();
      if (!this.records.isRecent(config.lockMs)) return;
      if (!this.#isStarted) {
        // No cycle of this daemon may begin before.
        await takeOverFiles({ ...this.#options, store: this.#store, shared: this.records });
        this.#cycles.start();
        this.#isStarted = true;
      }
      // Not waited for: on a connection that died silently it ends after the next beat has replaced that one.
      void this.#cycles.wake(this.#toWake());
      this.#health.worked();
    } catch (error) {
      if (error instanceof StoreError) onFatal(error);
      else this.#health.failed(error);
      await replaceIfDead(this.#redis);
    }
  });

  /**
   * The accounts whose jobs may be missing: those without a finished cycle, such as all that a daemon has written back
   * to an empty Redis, and those whose cycle waits for too long. A daemon that is gone, and whose clock was ahead, may
   * also have put it off. Those with a target without a poll: a daemon that does not know it may have kept the job. And
   * those that this daemon keeps, if they are more than its share.
   */
  #toWake(): readonly string[] {
    const beforeMs = this.clock.now() - this.#options.config.lockMs - lostAfterMs;
    const isLost = ({ finishedDueMs }: CycleState) =>
      finishedDueMs === 0 || (this.#due.waitingSinceMs(finishedDueMs) ?? Infinity) < beforeMs;
    const { cycles, leases } = this.records;
    const lost = [...cycles].flatMap(([account, cycle]) => (isLost(cycle) ? [account] : []));
    const unpolled = this.#options.published.all().filter(isUnpolled);
    const kept = leases.size > this.#cycles.maxKeptJobs ? leases.keys() : [];
    return [...new Set([...lost, ...unpolled.map(({ target }) => target.account), ...kept])];
  }
}
