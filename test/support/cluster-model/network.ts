/** The connections of the daemons of a model to its server. */
import type { Process, Simulation } from './simulation.ts';

/** Gives the numbers that decide about delays and losses; 0 is the quickest, and means no loss. */
export type Tape = () => number;

interface Call {
  isExecuted: boolean;
  isDropped: boolean;
  /** The server does not read it earlier. */
  lateUntilMs: number;
  readonly fail: () => void;
}

const delaysMs = [1, 2, 40, 400];

/** The server can read what a lost connection brought after what the next one brings. */
const lateMs = 700;

const lost = new Error('Connection is closed.');

/** One connection, in which calls and answers keep their order, until it is cut. */
export class Connection {
  readonly #simulation: Simulation;
  readonly #process: Process;
  readonly #tape: Tape;
  #calls = new Set<Call>();
  #executedMs = 0;
  #answeredMs = 0;
  #brokenUntilMs = 0;

  constructor(simulation: Simulation, process: Process, tape: Tape) {
    this.#simulation = simulation;
    this.#process = process;
    this.#tape = tape;
  }

  call<T>(execute: () => T): Promise<T> {
    const simulation = this.#simulation;
    if (simulation.nowMs < this.#brokenUntilMs) return Promise.reject(lost);
    return new Promise((resolve, reject) => {
      const calls = this.#calls;
      const call: Call = {
        isExecuted: false,
        isDropped: false,
        lateUntilMs: 0,
        fail: () => {
          calls.delete(call);
          reject(lost);
        },
      };
      calls.add(call);
      const executesMs = Math.max(simulation.nowMs + this.#delayMs(), this.#executedMs);
      this.#executedMs = executesMs;
      const receive = () => {
        if (call.isDropped) return;
        if (simulation.nowMs < call.lateUntilMs) {
          simulation.schedule(null, call.lateUntilMs - simulation.nowMs, receive);
          return;
        }
        call.isExecuted = true;
        const result = execute();
        const answersMs = Math.max(simulation.nowMs + this.#delayMs(), this.#answeredMs);
        this.#answeredMs = answersMs;
        simulation.schedule(this.#process, answersMs - simulation.nowMs, () => {
          if (!calls.delete(call)) return;
          resolve(result);
        });
      };
      simulation.schedule(null, executesMs - simulation.nowMs, receive);
    });
  }

  /** @param areDropped calls that wait are never executed; else they are executed late, without an answer */
  cut(forMs: number, areDropped: boolean): void {
    const calls = [...this.#calls];
    this.#calls = new Set();
    this.#brokenUntilMs = Math.max(this.#brokenUntilMs, this.#simulation.nowMs + forMs);
    this.#executedMs = 0;
    this.#answeredMs = 0;
    for (const call of calls) {
      call.isDropped = areDropped;
      call.lateUntilMs = this.#simulation.nowMs + forMs + lateMs;
      this.#simulation.schedule(this.#process, 0, call.fail);
    }
  }

  #delayMs(): number {
    return delaysMs[this.#tape()] ?? 1;
  }
}
