/** A daemon of the model: the program's own turns, leases, store and records, on a clock that drifts. */
import type { Redis } from 'ioredis';
import type { AccountScripts, Refusal, Replacement } from '../../../src/cluster/account-scripts.ts';
import { RedisStore } from '../../../src/cluster/redis-store.ts';
import { RedisHealth } from '../../../src/cluster/redis-health.ts';
import { messageOf } from '../../../src/model/errors.ts';
import { SharedRecords } from '../../../src/cluster/shared-records.ts';
import { pause, type Timers } from '../../../src/cluster/timers.ts';
import { takeTurn, type RunningCycle } from '../../../src/cluster/turn.ts';
import type { Config } from '../../../src/config/config.ts';
import { PublishedRecords } from '../../../src/model/published-records.ts';
import type { Target } from '../../../src/model/target.ts';
import { targetKey } from '../../../src/model/target.ts';
import { silentLogger } from '../silent-logger.ts';
import type { MemoryServer } from '../memory-scripts.ts';
import type { ModelJobs } from './jobs.ts';
import { Connection, type Tape } from './network.ts';
import { account, modelCollectors, modelRecord, targets, withValue } from './records.ts';
import { startMs, type Process, type Simulation } from './simulation.ts';

/** What the daemons of a model have in common. */
export interface SharedWorld {
  readonly simulation: Simulation;
  readonly tape: Tape;
  readonly server: MemoryServer;
  readonly jobs: ModelJobs;
  readonly lockMs: number;
  /** Time between two due times. */
  readonly periodMs: number;
  /** How often a cycle polls a target. */
  readonly polls: number;
  /** A request to the service. */
  ask(daemon: ModelDaemon, signal: AbortSignal): Promise<number>;
  /** A write that has arrived at the server. */
  replace(daemon: ModelDaemon, account: string, replacement: Replacement): number | Refusal;
}

/** Time between two polls of a target in one turn. */
const betweenPollsMs = 60;

export class ModelDaemon implements Process {
  resumesAtMs = 0;
  isKilled = false;
  readonly name: string;
  readonly connection: Connection;
  readonly #world: SharedWorld;
  readonly #timers: Timers;
  readonly #published = new PublishedRecords();
  readonly #store: RedisStore;
  readonly #records: SharedRecords;
  #turn: AbortController | null = null;
  #jobs = 0;
  /** The running cycle also serves the due time that has come. */
  #extendedMs = 0;

  constructor(name: string, rate: number, world: SharedWorld) {
    const { simulation, tape } = world;
    this.name = name;
    this.#world = world;
    this.#timers = {
      now: () => startMs + (simulation.nowMs - startMs) * rate,
      after: (delayMs, call) => simulation.schedule(this, delayMs / rate, call),
    };
    this.connection = new Connection(simulation, this, tape);
    const scripts = this.#scripts();
    this.#store = new RedisStore({
      redis: { options: {} } as Redis,
      cluster: 'model',
      collectors: modelCollectors,
      scripts,
    });
    this.#records = new SharedRecords({
      store: this.#store,
      collectors: modelCollectors,
      published: this.#published,
      logger: silentLogger,
      health: new RedisHealth('model', messageOf, silentLogger),
      current: () => ({ accounts: [{ name: account }] }) as unknown as Config,
      turnOf: () => this.#turn?.signal ?? null,
      onFenced: () => this.#turn?.abort(),
      onRead: () => undefined,
    });
  }

  start(): void {
    this.#published.watch(targets, (target) => modelCollectors.of(target));
    void this.#records.load();
    this.#beat();
  }

  /** What a scrape shows of each target; `null` while nothing may be shown. */
  async scrape(): Promise<readonly (number | null)[]> {
    await this.#records.refresh();
    return targets.map((target) => {
      const record = this.#published.get(targetKey(target));
      if (record === undefined || !this.#published.showsCounters(record)) return null;
      return modelRecord(record).counted.count;
    });
  }

  /** Gives its cycle back. */
  handBack(): void {
    this.#turn?.abort();
  }

  #beat(): void {
    this.#timers.after(this.#world.lockMs / 3, () => {
      this.#beat();
    });
    void this.#work().catch(() => undefined);
  }

  async #work(): Promise<void> {
    const { jobs, periodMs } = this.#world;
    const dueMs = Math.floor(this.#timers.now() / periodMs) * periodMs;
    if (this.#isRunning()) {
      if (dueMs > this.#extendedMs) this.#extend(dueMs);
      return;
    }
    await this.#records.refresh();
    const begunMs = this.#records.accounts.get(account)?.dueMs ?? 0;
    this.#jobs += 1;
    const token = `${this.name}:${this.#jobs}`;
    const taken = await this.connection.call(() => {
      if (begunMs < dueMs) jobs.add(dueMs);
      return jobs.take(token);
    });
    // A job that was taken meanwhile ends when its lock expires.
    if (taken !== null && !this.#isRunning()) await this.#run(taken, token);
  }

  #isRunning(): boolean {
    return this.#turn !== null;
  }

  #extend(dueMs: number): void {
    this.#extendedMs = dueMs;
    void this.#store.extend(account, dueMs).catch(() => undefined);
  }

  async #run(dueMs: number, token: string): Promise<void> {
    const { jobs, lockMs } = this.#world;
    const turn = new AbortController();
    this.#turn = turn;
    this.#extendedMs = dueMs;
    const isComplete = await takeTurn(
      {
        account,
        dueMs,
        extendLock: () => this.connection.call(() => jobs.extendLock(token)),
      },
      turn,
      {
        store: this.#store,
        member: this.name,
        lockMs,
        timers: this.#timers,
        onTakenOver: () => undefined,
        run: (cycle) => this.#poll(cycle),
      },
    ).catch(() => false);
    this.#turn = null;
    await this.connection.call(() => {
      if (isComplete) jobs.complete(token);
      else jobs.handBack(token);
    });
  }

  async #poll(cycle: RunningCycle): Promise<void> {
    await this.#records.refreshAccount(account);
    let polledMs: number;
    do {
      polledMs = this.#extendedMs;
      await Promise.all(targets.map((target) => this.#pollTarget(target, cycle)));
    } while (polledMs !== this.#extendedMs && !cycle.signal.aborted);
  }

  async #pollTarget(target: Target, { beforeSend, signal }: RunningCycle): Promise<void> {
    const kept: Promise<unknown>[] = [];
    try {
      const { polls } = this.#world;
      for (let poll = 1; poll <= polls; poll += 1) {
        beforeSend();
        const value = await this.#world.ask(this, signal);
        // The polls are in place of those of many targets: the next request does not wait for this write.
        kept.push(
          this.#records.keep(target, (before) => ({
            record: withValue(before, value),
            changes: [],
          })),
        );
        if (poll < polls) await pause(this.#timers, betweenPollsMs, signal);
      }
    } catch {
      // The turn has ended.
    }
    await Promise.all(kept);
  }

  #scripts(): AccountScripts {
    const { server } = this.#world;
    const call = <T>(execute: () => T) => this.connection.call(execute);
    return {
      begin: (name, cycle) => call(() => server.begin(name, cycle)),
      extend: (name, epoch, dueMs) =>
        call(() => {
          server.extend(name, epoch, dueMs);
        }),
      end: (name, epoch, isComplete) =>
        call(() => {
          server.end(name, epoch, isComplete);
        }),
      replace: (name, replacement) => call(() => this.#world.replace(this, name, replacement)),
      changed: (known) => call(() => server.changed(known)),
    };
  }
}
