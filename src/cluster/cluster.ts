/** Daemons that share the accounts of a configuration: who runs which cycle, and what everybody serves. */
import type { Redis, RedisOptions } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { ClusterConfig, Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';
import type { ClusterStatus } from '../model/cluster-status.ts';
import { messageOf } from '../model/errors.ts';
import { forLast } from '../model/for-last.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { AccountTurn, SharedCycles } from '../poll/poller.ts';
import {
  CommandProblems,
  engineConnection,
  failFastConnection,
  warnOfEviction,
} from './connection.ts';
import { Cycles } from './cycles.ts';
import { DueCycles } from './due-cycles.ts';
import {
  configurationHash,
  heartbeat,
  leave,
  redisTimeMs,
  type About,
  type Member,
} from './members.ts';
import { RedisClock } from './redis-clock.ts';
import { RedisHealth } from './redis-health.ts';
import { RedisStore } from './redis-store.ts';
import { SharedRecords } from './shared-records.ts';
import type { RunningCycle } from './turn.ts';

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

export class Cluster implements SharedCycles {
  readonly records: SharedRecords;
  readonly #options: ClusterOptions;
  readonly #redis: Redis;
  readonly #clock: RedisClock;
  readonly #engine: Redis;
  readonly #store: RedisStore;
  readonly #health: RedisHealth;
  readonly #cycles: Cycles;
  readonly #id = randomUUID();
  readonly #startedAtMs: number;
  #members: readonly Member[] = [];
  /** When Redis told of them. */
  #toldAtMs = 0;
  readonly #hashOf = forLast(configurationHash);
  readonly #due: DueCycles;
  #timer: NodeJS.Timeout | undefined;
  #housekeeping: NodeJS.Timeout | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { collectors, config, connection, logger, published } = options;
    const cluster = config.name;
    const redis = failFastConnection(connection);
    const engine = engineConnection(connection);
    this.#redis = redis;
    this.#clock = new RedisClock(options.clock, logger);
    this.#engine = engine;
    for (const each of [redis, engine]) {
      each.on('error', (error) => {
        logger.debug('connection to Redis', () => ({ reason: messageOf(error) }));
      });
    }
    redis.on('ready', () => void warnOfEviction(redis, logger));
    this.#startedAtMs = options.clock.now();
    this.#store = new RedisStore({ redis, cluster, collectors, replicas: config.replicas });
    const problems = new CommandProblems(redis);
    this.#health = new RedisHealth(this.#store.address, (error) => problems.of(error), logger);
    this.#cycles = new Cycles({
      clock: this.#clock,
      redis: engine,
      store: this.#store,
      cluster,
      member: this.#id,
      lockMs: config.lockMs,
      knows: (account) => this.records.accounts.has(account),
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
    });
    this.#due = new DueCycles({
      ...options,
      clock: this.#clock,
      lockMs: config.lockMs,
      health: this.#health,
      accounts: () => this.records.accounts,
      // Each heartbeat adds what is due and has not begun.
      canAdd: () => engine.status === 'ready',
      add: (cycles) => this.#cycles.add(cycles),
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
    this.#cycles.start();
    void this.#removeGone();
    this.#housekeeping = setInterval(() => void this.#removeGone(), housekeepingMs).unref();
    this.#timer = setInterval(() => void this.#beat(), this.#options.config.lockMs / 3);
    this.#engine.on('ready', () => void this.#beat());
    void this.#beat();
  }

  /** Shows and polls these accounts, and no others. */
  watch(accounts: ReadonlySet<string>): void {
    this.records.watch(accounts);
  }

  due(): void {
    void this.#due.addDue();
  }

  added(accounts: ReadonlySet<string>): void {
    void this.#due.addNew(accounts);
  }

  extended(account: string): void {
    const dueMs = this.#due.lastMs();
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

  async #removeGone(): Promise<void> {
    const { logger, published } = this.#options;
    try {
      const isLive = (target: Target) => published.get(targetKey(target)) !== undefined;
      for (const key of await this.#store.removeGone(isLive)) {
        published.forget(key);
        logger.info('record removed: its target has been gone for 30 days', { target: key });
      }
    } catch (error) {
      // Old records can wait for the next day.
      logger.warn('old records were not removed', { reason: messageOf(error) });
    }
  }

  #accountStatus(): ClusterStatus['accounts'] {
    const names = new Map(this.#members.map(({ id, name }) => [id, name]));
    // Most accounts have the same due time, and the next run of a schedule takes long to compute.
    const dueTimes = new Set([...this.records.accounts.values()].map(({ dueMs }) => dueMs));
    const waiting = new Map([...dueTimes].map((dueMs) => [dueMs, this.#due.waitingSinceMs(dueMs)]));
    return [...this.records.accounts].map(([account, state]) => ({
      account,
      polledBy: names.get(state.member) ?? null,
      isRunning: state.isRunning,
      begunAtMs: state.begunAtMs || null,
      waitingSinceMs: waiting.get(state.dueMs) ?? null,
    }));
  }

  async #run({ account, begun, dueMs, ...turn }: RunningCycle): Promise<void> {
    await this.records.refreshAccount(account);
    const missed = this.#due.missedBetween(begun.finishedDueMs, dueMs);
    await this.#options.runCycle(account, turn, { missed, onlyNew: dueMs === null });
  }

  async #beat(): Promise<void> {
    const { clock, config, current, name, version } = this.#options;
    const about: About = {
      name,
      version,
      configuration: this.#hashOf(current()),
      startedAtMs: this.#startedAtMs,
    };
    try {
      const told = { ...about, id: this.#id, maxSilenceMs: config.lockMs };
      this.#members = await heartbeat(this.#redis, config.name, told);
      this.#toldAtMs = clock.now();
      this.#clock.told(await redisTimeMs(this.#redis));
    } catch (error) {
      this.#health.failed('writing', error);
      return;
    }
    this.#health.worked('writing');
    const accounts = this.records.accounts.size;
    this.#cycles.setConcurrency(Math.ceil(accounts / this.#members.length));
    await this.records.refresh();
    await this.#due.addNew();
    await this.#due.addDue();
  }
}
