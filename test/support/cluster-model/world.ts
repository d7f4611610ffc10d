/** Several daemons, one server, a service whose value changes, and what may go wrong. */
import type { Refusal, Replacement } from '../../../src/cluster/account-scripts.ts';
import { targetKey } from '../../../src/model/target.ts';
import { MemoryServer } from '../memory-scripts.ts';
import { ModelJobs } from './jobs.ts';
import { ModelDaemon, type SharedWorld } from './model-daemon.ts';
import type { Tape } from './network.ts';
import { account, targets, textRecord } from './records.ts';
import { Simulation, startMs } from './simulation.ts';

export interface Disturbance {
  readonly kind:
    | 'suspend'
    | 'kill'
    | 'hand back'
    | 'cut'
    | 'drop'
    | 'restart'
    | 'change'
    | 'scrape';
  readonly atMs: number;
  readonly daemon: number;
  readonly forMs: number;
}

export interface Scenario {
  /** The speed of the clock of each daemon. */
  readonly rates: readonly number[];
  /** When each daemon starts. */
  readonly startsMs: readonly number[];
  /** The next number decides about the next delay on the network. */
  readonly tape: readonly number[];
  /** How slow the way of each daemon to the service is, and how slow its answers are. Default: the tape decides. */
  readonly service: readonly { readonly way: number; readonly answer: number }[];
  /** How often a cycle polls a target. */
  readonly polls: number;
  readonly disturbances: readonly Disturbance[];
}

/** The time in which something is disturbed, and the time after it in which everything must be made good. */
export const disturbedMs = 5_000;
const quietMs = 7_500;
const windowMs = 1_000;
const transitsMs = [1, 20, 120, 250];
const answersMs = [1, 30, 300, 1_600];

export class ModelWorld implements SharedWorld {
  readonly simulation = new Simulation();
  readonly lockMs = 2_000;
  readonly periodMs = 2_000;
  readonly tape: Tape;
  readonly server: MemoryServer;
  readonly jobs: ModelJobs;
  readonly polls: number;
  readonly #daemons: ModelDaemon[] = [];
  readonly #scenario: Scenario;
  /** From this time on, nothing is disturbed or slow. */
  #isQuiet = false;
  #value = 0;
  #arrivals: { readonly daemon: ModelDaemon; readonly atMs: number }[] = [];
  /** The highest counters that a scrape has shown. */
  #shown = targets.map(() => 0);
  #problem: string | null = null;

  constructor(scenario: Scenario) {
    const { tape } = scenario;
    let next = 0;
    this.tape = () => {
      next += 1;
      return tape.length === 0 || this.#isQuiet ? 0 : (tape[next % tape.length] ?? 0);
    };
    this.#scenario = scenario;
    this.polls = scenario.polls;
    const nowMs = () => this.simulation.nowMs;
    this.server = new MemoryServer(nowMs);
    this.jobs = new ModelJobs(this.lockMs, nowMs);
  }

  /** @returns what went wrong first; `null` when everything was right */
  async run(): Promise<string | null> {
    const { disturbances, rates, startsMs } = this.#scenario;
    rates.forEach((rate, i) => {
      const daemon = this.#add(`daemon ${i}`, rate);
      this.simulation.schedule(null, startsMs[i] ?? 0, () => {
        daemon.start();
      });
    });
    for (const each of disturbances) {
      this.simulation.schedule(null, each.atMs, () => {
        this.#disturb(each);
      });
    }
    await this.simulation.runUntil(startMs + disturbedMs);
    this.#isQuiet = true;
    await this.simulation.runUntil(startMs + disturbedMs + quietMs);
    this.#checkEnd();
    return this.#problem;
  }

  /** A request of a daemon to the service. */
  ask(daemon: ModelDaemon, signal: AbortSignal): Promise<number> {
    const { simulation } = this;
    return new Promise((resolve, reject) => {
      const abort = () => {
        reject(new Error('aborted'));
      };
      signal.addEventListener('abort', abort, { once: true });
      const fixed = this.#scenario.service[this.#daemons.indexOf(daemon)];
      simulation.schedule(null, transitsMs[fixed?.way ?? this.tape()] ?? 0, () => {
        this.#arrived(daemon);
        const value = this.#value;
        simulation.schedule(daemon, answersMs[fixed?.answer ?? this.tape()] ?? 0, () => {
          signal.removeEventListener('abort', abort);
          resolve(value);
        });
      });
    });
  }

  replace(daemon: ModelDaemon, name: string, replacement: Replacement): number | Refusal {
    const before = this.server.text(name, replacement.key);
    const revision = this.server.replace(name, replacement);
    const after = this.server.text(name, replacement.key);
    if (typeof revision !== 'number' || after === before || after === null) return revision;
    const { member } = this.server.stateOf(name);
    if (member !== daemon.name) this.#fail(`${daemon.name} wrote after ${member} had begun`);
    const next = textRecord(after).counted;
    const last = before === null ? { ...next, count: 0 } : textRecord(before).counted;
    const count = last.count + (last.value === next.value ? 0 : 1);
    if (next.count !== count) this.#fail(`a change was counted ${next.count - last.count} times`);
    if ((next.value ?? 0) < (last.value ?? 0)) this.#fail('an older value replaced a newer one');
    return revision;
  }

  #add(name: string, rate: number): ModelDaemon {
    const daemon = new ModelDaemon(name, rate, this);
    this.#daemons.push(daemon);
    return daemon;
  }

  #disturb({ atMs, daemon: i, kind, ...disturbance }: Disturbance): void {
    const forMs = Math.min(disturbance.forMs, disturbedMs - atMs);
    const living = this.#daemons.filter((each) => !each.isKilled);
    const daemon = living[i % living.length];
    if (daemon === undefined) return;
    if (kind === 'change') this.#value += 1;
    else if (kind === 'suspend') {
      daemon.resumesAtMs = Math.max(daemon.resumesAtMs, this.simulation.nowMs + forMs);
    } else if (kind === 'kill') {
      daemon.isKilled = true;
      this.#add(`daemon ${this.#daemons.length}`, 1).start();
    } else if (kind === 'hand back') daemon.handBack();
    else if (kind === 'cut' || kind === 'drop') daemon.connection.cut(forMs, kind === 'drop');
    else if (kind === 'restart') {
      for (const each of living) each.connection.cut(forMs, true);
    } else void this.#scrape(daemon);
  }

  async #scrape(daemon: ModelDaemon): Promise<void> {
    const least = this.#shown;
    const counts = await daemon.scrape();
    counts.forEach((count, i) => {
      if (count !== null && count < (least[i] ?? 0)) this.#fail('a counter fell between scrapes');
    });
    this.#shown = this.#shown.map((count, i) => Math.max(count, counts[i] ?? 0));
  }

  #arrived(daemon: ModelDaemon): void {
    const atMs = this.simulation.nowMs;
    this.#arrivals = this.#arrivals.filter((each) => each.atMs > atMs - windowMs);
    const other = this.#arrivals.find((each) => each.daemon !== daemon);
    if (other !== undefined) {
      this.#fail(`two daemons sent within ${Math.round(atMs - other.atMs)} ms`);
    }
    this.#arrivals.push({ daemon, atMs });
  }

  #checkEnd(): void {
    const dueMs = Math.floor(this.simulation.nowMs / this.periodMs - 2) * this.periodMs;
    const { dueMs: begunDueMs, finishedDueMs, isRunning } = this.server.stateOf(account);
    // A cycle that takes long also serves the next due times.
    const servedMs = isRunning ? begunDueMs : finishedDueMs;
    if (servedMs < dueMs) this.#fail('a due cycle was never run');
    for (const target of targets) {
      const text = this.server.text(account, targetKey(target));
      if (text === null || textRecord(text).counted.value !== this.#value)
        this.#fail('a change was lost');
    }
  }

  #fail(problem: string): void {
    this.#problem ??= `${problem}, at ${this.simulation.nowMs - startMs} ms`;
  }
}
