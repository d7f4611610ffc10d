import { randomUUID } from 'node:crypto';
import type { RedisOptions } from 'ioredis';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { ClusterConfig, Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { RecordReplacement } from '../model/advance.ts';
import { coalesce } from '../model/async.ts';
import type { Clock } from '../model/clock.ts';
import {
  countConfigurations,
  type ClusterMember,
  type ClusterStatus,
} from '../model/cluster-status.ts';
import { memoizePerObject } from '../model/memoize.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { SharedCycles } from '../poll/poller-contracts.ts';
import type { FileStoreOptions } from '../storage/file-store.ts';
import type { StoreError } from '../storage/store.ts';
import { RedisConnections, replaceIfDead } from './connection.ts';
import { CycleJobs, type CyclePoller } from './cycle-jobs.ts';
import { clusterKeys } from './keys.ts';
import { configurationHash, sendHeartbeat, type MemberInfo } from './members.ts';
import { RedisStore, type CycleState } from './redis-store.ts';
import { SharedRecords } from './shared-records.ts';
import { takeOverFiles } from './take-over-files.ts';
import { DueTimes } from '../schedule/due-times.ts';
import { RedisClock } from './redis-clock.ts';

export { connectionOptions } from './connection.ts';

export interface ClusterOptions {
  /** The directory of a daemon without `cluster`, whose records are taken over. */
  readonly files: FileStoreOptions;
  readonly config: ClusterConfig;
  /** See {@link connectionOptions}. */
  readonly connection: RedisOptions;
  /** The clock of this machine. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly logger: Logger;
  /** What the other daemons learn about this one, besides its configuration. */
  readonly about: Omit<MemberInfo, 'configuration'>;
  /** The present configuration. */
  readonly current: () => Config;
  /** Called with each record that another daemon wrote. */
  readonly onRead: (replaced: RecordReplacement) => void;
  /** Called once, when this daemon must end: a newer version of the program wrote a record. */
  readonly onFatal: (error: StoreError) => void;
}

/** A start waits this long for Redis. Without Redis, the daemon serves that it knows nothing yet. */
const firstAnswerMs = 2_000;

/** A cycle that waits for longer than the lock and this may have lost its job. */
const lostJobMs = 5_000;

/**
 * The part of a daemon that shares the accounts of a configuration with other daemons over Redis: it decides which cycles
 * this daemon runs, and keeps the records of all. The daemon loads it only with `cluster` in the configuration.
 */
export class Cluster implements SharedCycles {
  readonly records: SharedRecords;
  /** The clock for all parts of the daemon. */
  readonly clock: RedisClock;
  readonly #options: ClusterOptions;
  readonly #connections: RedisConnections;
  readonly #store: RedisStore;
  readonly #due: DueTimes;
  readonly #jobs: CycleJobs;
  /** Identifies this daemon among the members. */
  readonly #id = randomUUID();
  readonly #hashOf = memoizePerObject(configurationHash);
  #members: readonly ClusterMember[] = [];
  /** The time at which the members were read. */
  #membersAtMs = 0;
  /** True from when the files are taken over: cycles run. */
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { collectors, config, current, logger, onFatal, onRead, published, random } = options;
    const connections = new RedisConnections(options.connection, logger, onFatal);
    const clock = new RedisClock(options.clock, logger);
    const due = new DueTimes({ clock, random, schedule: () => current().poll });
    const store = new RedisStore({ redis: connections.redis, config, collectors });
    const accounts = () => current().accounts.map(({ name }) => name);
    const shared = { store, accounts, collectors, published, clock, logger, connections, onRead };
    const records = new SharedRecords(shared);
    const member = this.#id;
    const jobs = { config, connections, store, records, due, member, logger };
    this.#jobs = new CycleJobs(jobs);
    this.#connections = connections;
    this.clock = clock;
    this.#due = due;
    this.#store = store;
    this.records = records;
  }

  /** Resolves when Redis is connected, and after 2 s at the latest. */
  connected(): Promise<void> {
    return this.#connections.connected(firstAnswerMs);
  }

  /** Begins heartbeats. The first one that reaches Redis takes over files, and begins to run cycles with the poller. */
  start(poller: CyclePoller): void {
    this.#jobs.poller = poller;
    this.#timer = setInterval(() => void this.#heartbeat(), this.#options.config.lockMs / 3);
    this.#connections.redis.on('ready', () => void this.records.refresh().then(this.#heartbeat));
    this.#connections.engine.on('ready', () => void this.#heartbeat());
    void this.#heartbeat();
  }

  /** Replaces the accounts that are shown and polled. */
  configure(accounts: ReadonlySet<string>): void {
    if (this.records.setAccounts(accounts) && this.#isStarted) void this.#heartbeat();
  }

  /** Called after the schedule has changed: each job that waits here computes its next due time again. */
  rescheduled(): void {
    void this.#jobs.wake([...this.records.cycles.keys()]);
  }

  /** Wakes the jobs of accounts with new targets. */
  added(accounts: ReadonlySet<string>): void {
    void this.#jobs.wake([...accounts]);
  }

  /** The running cycle serves the present due time, too. */
  extended(account: string): void {
    const lease = this.records.leases.get(account);
    if (lease !== undefined) lease.dueMs = this.#due.lastDueMs();
  }

  status(): ClusterStatus {
    const { clock, config } = this.#options;
    const sinceMs = Math.max(0, clock.now() - this.#membersAtMs);
    return {
      members: this.#members.map((each) => ({ ...each, silentMs: each.silentMs + sinceMs })),
      accounts: () => this.#accountStatus(),
      lockMs: config.lockMs,
      takenOver: this.#jobs.takenOver,
      problem: this.#connections.problem,
    };
  }

  /** Ends the cycles that run here, hands back their jobs, and tells the other daemons that this one is gone. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#jobs.stop();
    const { members } = clusterKeys(this.#options.config.name);
    await this.#connections.redis.hdel(members, this.#id).catch(() => undefined);
  }

  /** Disconnects from Redis. Called after the last records are stored. */
  close(): void {
    this.#connections.close();
  }

  #accountStatus(): ReturnType<ClusterStatus['accounts']> {
    const names = new Map(this.#members.map(({ id, name }) => [id, name]));
    return [...this.records.cycles].map(([account, cycle]) => {
      const polledBy = names.get(cycle.member) ?? null;
      // A cycle that runs also serves due times that come meanwhile.
      const isServed = cycle.isRunning && polledBy !== null;
      const waitingSinceMs = isServed ? null : this.#due.waitingSinceMs(cycle.finishedDueMs);
      return { account, polledBy, waitingSinceMs };
    });
  }

  /** Runs three times in the time of the lock, and when a connection opens. Never rejects. */
  readonly #heartbeat = coalesce(async () => {
    const { about, clock, config, current, files } = this.#options;
    const { engine, redis } = this.#connections;
    void replaceIfDead(engine);
    try {
      const heartbeat = { ...about, configuration: this.#hashOf(current()) };
      const { members, redisMs } = await sendHeartbeat(redis, config, this.#id, heartbeat);
      this.#members = members;
      this.#membersAtMs = clock.now();
      this.clock.setServerTime(redisMs);
      // An even share. Daemons whose accounts or targets may differ keep no jobs: each one gets them in turn.
      const areSame = countConfigurations(members) === 1;
      this.#jobs.maxHeldJobs = areSame ? Math.ceil(this.records.cycles.size / members.length) : 0;
      if (!this.records.wasReadWithin(config.lockMs)) await this.records.refresh();
      if (!this.records.wasReadWithin(config.lockMs)) return;
      if (!this.#isStarted) {
        // Before the first cycle, so that no baseline takes the place of a record of a file.
        await takeOverFiles(files, this.#store, this.records);
        this.#jobs.start();
        this.#isStarted = true;
      }
      // Not awaited: where the connection of the engine died silently, it ends after the next heartbeat has replaced it.
      void this.#jobs.wake(this.#accountsToWake());
      this.#connections.reportSuccess();
    } catch (error) {
      this.#connections.reportFailure(error);
      await replaceIfDead(redis);
    }
  });

  /**
   * The accounts whose jobs must be woken:
   * - without a finished cycle, such as all that a daemon has written back to an empty Redis: the job may be missing;
   * - with a cycle that waits for too long: the job is lost, or a daemon whose clock was ahead has delayed it;
   * - with a target without a poll: a daemon that does not have the target may keep the job;
   * - all that this daemon keeps, if they are more than its share.
   */
  #accountsToWake(): readonly string[] {
    const beforeMs = this.clock.now() - this.#options.config.lockMs - lostJobMs;
    const isLost = ({ finishedDueMs }: CycleState) =>
      finishedDueMs === 0 || (this.#due.waitingSinceMs(finishedDueMs) ?? Infinity) < beforeMs;
    const { cycles, leases } = this.records;
    const lost = [...cycles].flatMap(([account, cycle]) => (isLost(cycle) ? [account] : []));
    const unpolled = this.#options.published
      .all()
      .filter(({ observed }) => observed.freshness.lastPoll === null);
    const superfluous = leases.size > this.#jobs.maxHeldJobs ? leases.keys() : [];
    return [...new Set([...lost, ...unpolled.map(({ target }) => target.account), ...superfluous])];
  }
}
