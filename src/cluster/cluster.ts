/**
 * Lets a daemon share the accounts of a configuration with other daemons over Redis. `daemon/daemon.ts` loads this file only
 * with `cluster` in the configuration, and calls in this order:
 * 1. `openCluster`: connects, and reads the records of all accounts.
 * 2. `start`: begins heartbeats. The first one that reaches Redis imports the records in files, and begins to take jobs.
 *    Each one counts the members, compares the clocks, and wakes jobs that are lost.
 * 3. `stop`, then `close`: hands the jobs back, then disconnects.
 */
import { randomUUID } from 'node:crypto';
import type { ClusterConfig, Config } from '../config/config.ts';
import type { RecordReplacement } from '../model/advance.ts';
import { coalesce } from '../model/async.ts';
import {
  countConfigurations,
  type ClusterMember,
  type ClusterStatus,
} from '../model/cluster-status.ts';
import { memoizePerObject } from '../model/memoize.ts';
import { createDueTimes } from '../schedule/due-times.ts';
import type { FileStoreOptions } from '../storage/file-store.ts';
import type { RecordsOptions } from '../storage/local-records.ts';
import { connectionOptions, RedisConnections, replaceIfDead } from './connection.ts';
import { CycleJobs, type CyclePoller } from './cycle-jobs.ts';
import { clusterKeys } from './keys.ts';
import { configurationHash, sendHeartbeat, type MemberInfo } from './members.ts';
import { RedisStore, type CycleState } from './redis-store.ts';
import { SharedRecords } from './shared-records.ts';
import { takeOverFiles } from './take-over-files.ts';

/** What a daemon gives its cluster. `clock` is that of this machine. */
export interface ClusterOptions extends RecordsOptions {
  /**
   * The directory of a daemon without `cluster`, whose records are taken over. `onFatal` is also called, once, when a
   * newer version of the program wrote a record in Redis: this daemon must end.
   */
  readonly files: FileStoreOptions;
  readonly config: ClusterConfig;
  readonly random: () => number;
  /** What heartbeats tell the other daemons about this one, besides its configuration. */
  readonly about: Omit<MemberInfo, 'configuration'>;
  /** Returns the configuration in force. */
  readonly current: () => Config;
  /** Called with each record that another daemon wrote. */
  readonly onRead: (replaced: RecordReplacement) => void;
}

/** A start waits this long for Redis. Without Redis, the daemon serves that it knows nothing yet. */
const firstAnswerMs = 2_000;

/** A cycle that waits for longer than the lock and this may have lost its job. */
const lostJobMs = 5_000;

/** A smaller difference of clocks only makes cycles begin that much earlier or later. */
const maxClockDifferenceMs = 1_000;

/**
 * Connects to Redis, and reads the records. Goes on without Redis after 2 s.
 *
 * @throws Error when the file with the password or the certificates of Redis cannot be read
 */
export async function openCluster(options: ClusterOptions) {
  const { about, collectors, config, current, files, logger, onRead, published, random } = options;
  /** Identifies this daemon among the members. */
  const id = randomUUID();
  const memoizedHash = memoizePerObject(configurationHash);
  const connections = new RedisConnections(await connectionOptions(config), logger, files.onFatal);
  const { engine, redis } = connections;
  /** How far the local clock is ahead of that of Redis; 0 while both agree, and before the first heartbeat. */
  let aheadMs = 0;
  /**
   * The clock for all parts of the daemon, but for requests to the service: that of its machine while it agrees with that of
   * Redis within a second, else that of Redis. A daemon whose clock is ahead would begin cycles that are not due yet, and
   * write times that make records stale for the others.
   */
  const clock = { now: () => options.clock.now() - aheadMs };
  const due = createDueTimes({ clock, random, schedule: () => current().poll });
  const store = new RedisStore({ redis, config, collectors });
  const ofRecords = { collectors, published, clock, logger, store, connections, onRead };
  const records = new SharedRecords(ofRecords);
  const jobs = new CycleJobs({ config, connections, store, records, due, member: id, logger });
  let members: readonly ClusterMember[] = [];
  /** When `members` were read, by the clock of this machine. */
  let membersAtMs = 0;
  /** True from when the files are taken over: cycles run. */
  let isStarted = false;
  /** True from the stop on: no heartbeat may enter this daemon again. */
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const compareClocks = (redisMs: number) => {
    const differenceMs = options.clock.now() - redisMs;
    const isWrong = Math.abs(differenceMs) > maxClockDifferenceMs;
    if (isWrong && aheadMs === 0) {
      logger.warn('the clock differs from that of Redis, which is used instead', {
        ahead_seconds: Math.round(differenceMs / 1_000),
      });
    }
    aheadMs = isWrong ? differenceMs : 0;
  };

  /**
   * The accounts whose jobs must be woken:
   * - without a finished cycle, such as all that a daemon has written back to an empty Redis: the job may be missing;
   * - with a cycle that waits for too long: the job is lost, or a daemon whose clock was ahead has delayed it;
   * - with a target without a poll: a daemon that does not have the target may keep the job;
   * - all that this daemon keeps, if they are more than its share.
   */
  const accountsToWake = () => {
    const lostBeforeMs = clock.now() - config.lockMs - lostJobMs;
    const isLost = ({ finishedDueMs }: CycleState) =>
      finishedDueMs === null || (due.waitingSinceMs(finishedDueMs) ?? Infinity) < lostBeforeMs;
    const { cycles, leases } = records;
    const lost = [...cycles].flatMap(([account, cycle]) => (isLost(cycle) ? [account] : []));
    const unpolled = published
      .all()
      .filter(({ observed }) => observed.freshness.lastPoll === null)
      .map(({ target }) => target.account);
    const superfluous = leases.size > jobs.maxHeldJobs ? leases.keys() : [];
    return [...new Set([...lost, ...unpolled, ...superfluous])];
  };

  /** Runs three times in the time of the lock, and when a connection opens. Never rejects. */
  const heartbeat = coalesce(async () => {
    if (isStopped) return;
    void replaceIfDead(engine);
    try {
      const info = { ...about, configuration: memoizedHash(current()) };
      const sent = await sendHeartbeat(redis, config, id, info);
      ({ members } = sent);
      membersAtMs = options.clock.now();
      compareClocks(sent.redisMs);
      // An even share. Daemons whose accounts or targets may differ keep no jobs: each one gets them in turn.
      const areSame = countConfigurations(members) === 1;
      jobs.maxHeldJobs = areSame ? Math.ceil(records.cycles.size / members.length) : 0;
      if (!records.wasReadWithin(config.lockMs)) await records.refresh();
      // Not read: `refresh` has reported the failure.
      if (!records.wasReadWithin(config.lockMs)) return;
      if (!isStarted) {
        // Before the first cycle, so that no baseline takes the place of a record of a file.
        await takeOverFiles(files, store, records);
        jobs.start();
        isStarted = true;
      }
      // Not awaited: where the connection of the engine died silently, it ends after the next heartbeat has replaced it.
      void jobs.wake(accountsToWake());
      connections.reportSuccess();
    } catch (error) {
      connections.reportFailure(error);
      await replaceIfDead(redis);
    }
  });

  /** `polledBy`: the member that began the last cycle of the account; `null` if there was none, or the member is gone. */
  const accountStatus = () => {
    const names = new Map(members.map((member) => [member.id, member.name]));
    return [...records.cycles].map(([account, cycle]) => {
      const polledBy = names.get(cycle.member) ?? null;
      // A cycle that runs also serves due times that come meanwhile.
      const isServed = cycle.isRunning && polledBy !== null;
      const waitingSinceMs = isServed ? null : due.waitingSinceMs(cycle.finishedDueMs);
      return { account, polledBy, waitingSinceMs };
    });
  };

  await connections.waitUntilReady(firstAnswerMs);
  records.setAccounts(new Set(current().accounts.map(({ name }) => name)));
  // Without Redis, the daemon serves that it knows nothing yet.
  await records.refresh();
  return {
    records,
    clock,
    /** Begins heartbeats. Called once. Cycles run with the poller from the first heartbeat that reaches Redis. */
    start: (poller: CyclePoller) => {
      jobs.poller = poller;
      timer = setInterval(() => void heartbeat(), config.lockMs / 3);
      redis.on('ready', () => void records.refresh().then(heartbeat));
      engine.on('ready', () => void heartbeat());
      void heartbeat();
    },
    /**
     * Called after a reload, with the accounts that are shown and polled from now on. Where the schedule differs or there
     * are new targets, a job that waits, and that no other daemon keeps, runs what is due, or computes its next due time.
     */
    configure: (names: ReadonlySet<string>, isRescheduled: boolean) => {
      records.setAccounts(names);
      void jobs.wake([...names].filter((name) => isRescheduled || jobs.poller.hasNew(name)));
      void records.refresh().then(heartbeat);
    },
    status: (): ClusterStatus => {
      // The last heartbeat here has read for how long each was silent then.
      const sinceMs = Math.max(0, options.clock.now() - membersAtMs);
      return {
        members: members.map((each) => ({ ...each, silentMs: each.silentMs + sinceMs })),
        accounts: accountStatus,
        lockMs: config.lockMs,
        takenOver: jobs.takenOver,
        problem: connections.problem,
      };
    },
    /** Ends the cycles that run here, hands back their jobs, and tells the other daemons that this one is gone. */
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await jobs.stop();
      await redis.hdel(clusterKeys(config.name).members, id).catch(() => undefined);
    },
    /** Disconnects from Redis. Called after the last records are stored. */
    close: () => {
      connections.close();
    },
  };
}
