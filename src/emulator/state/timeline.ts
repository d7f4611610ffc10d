/** Applies the actions of a scenario when they are due: for the service, and once for the check of a scenario. */
import type { TimelineEntry } from '../scenario/action.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { msOf } from '../../validation/duration.ts';
import { applyAction } from './apply-action.ts';
import { EmulatorState, stateErrorOf, type StateError } from './state.ts';

/** Called for an entry that could not be applied. */
type OnProblem = (entry: TimelineEntry, problem: StateError) => void;

/** The most entries of a repeating timeline that one call applies. It bounds the duration of a request. */
const maxEntriesAtOnce = 1_000;

/**
 * The state of a scenario, and the position in its timeline. Each entry is applied once per round. There is no timer:
 * whoever needs the state calls {@link applyDue} first. If a repeating timeline has more rounds due than one call
 * applies, the oldest ones are skipped.
 */
export class Timeline {
  readonly #scenario: Scenario;
  readonly #entries: readonly TimelineEntry[];
  readonly #repeatsEveryMs: number | null;
  readonly #now: () => number;
  readonly #onProblem: OnProblem;
  #state: EmulatorState;
  #startMs: number;
  /** How many entries were applied or skipped, in all rounds. */
  #applied = 0;

  /** @param now returns the current time, in milliseconds since the Unix epoch */
  constructor(scenario: Scenario, now: () => number, onProblem: OnProblem) {
    const { accounts, timeline, timeline_repeats_every: every } = scenario;
    this.#scenario = scenario;
    this.#entries = timeline.toSorted((a, b) => msOf(a.at) - msOf(b.at));
    this.#repeatsEveryMs = every === undefined ? null : msOf(every);
    this.#now = now;
    this.#onProblem = onProblem;
    this.#startMs = now();
    this.#state = new EmulatorState(accounts, this.#startMs);
  }

  /** The accounts as they are now, and their changes. Applies due entries first. */
  get state(): EmulatorState {
    this.applyDue();
    return this.#state;
  }

  /** The time since the start, in milliseconds. */
  get elapsedMs(): number {
    return this.#now() - this.#startMs;
  }

  /** Starts again with the first entry, and the state of the scenario. */
  restart(): void {
    this.#startMs = this.#now();
    this.#state = new EmulatorState(this.#scenario.accounts, this.#startMs);
    this.#applied = 0;
  }

  /** Applies the due entries in order. Each one gets the time at which it was due. */
  applyDue(): void {
    const { length } = this.#entries;
    const { elapsedMs } = this;
    const repeatsEveryMs = this.#repeatsEveryMs;
    if (repeatsEveryMs !== null && length > 0) {
      // The oldest rounds are skipped: their state lasted between two requests, so no client saw it.
      const mostRounds = Math.max(2, Math.floor(maxEntriesAtOnce / length));
      const firstRound = Math.floor(elapsedMs / repeatsEveryMs) - mostRounds + 1;
      this.#applied = Math.max(this.#applied, firstRound * length);
    }
    for (;;) {
      const round = Math.floor(this.#applied / length);
      const entry = this.#entries[this.#applied % length];
      if (entry === undefined || (round > 0 && repeatsEveryMs === null)) return;
      const atElapsedMs = round * (repeatsEveryMs ?? 0) + msOf(entry.at);
      if (atElapsedMs > elapsedMs) return;
      this.#applied += 1;
      const { at: _at, ...action } = entry;
      const problem = stateErrorOf(() => {
        applyAction(this.#state, action, this.#startMs + atElapsedMs);
      });
      if (problem !== null) this.#onProblem(entry, problem);
    }
  }
}
