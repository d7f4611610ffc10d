/** Applies the actions of a scenario when they are due: for the service, and once for the check of a scenario. */
import type { TimelineEntry } from '../scenario/action.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { msOf } from '../../validation/duration.ts';
import { applyAction } from './apply-action.ts';
import { EmulatorState, type StateError } from './state.ts';

/** The most entries of a repeating timeline that one call applies. It bounds the duration of a request. */
const maxEntriesAtOnce = 1_000;

/**
 * Starts a scenario. There is no timer: whoever needs the state asks for it at a time, and the entries that are due by then
 * are applied first, in order, each once per round, and each at the time at which it was due. If a repeating timeline has
 * more rounds due than one call applies, the oldest ones are skipped.
 *
 * @param startMs the time of the start, in milliseconds since the Unix epoch
 * @param onProblem called for each entry that could not be applied; the state is as before the entry
 * @returns `stateAt`: it changes one state and always returns this one. An earlier time than before changes nothing
 */
export function startTimeline(
  { accounts, timeline, timeline_repeats_every: every }: Scenario,
  startMs: number,
  onProblem: (entry: TimelineEntry, problem: StateError) => void,
) {
  const state = new EmulatorState(accounts, startMs);
  const entries = timeline.toSorted((a, b) => msOf(a.at) - msOf(b.at));
  const { length } = entries;
  const repeatsEveryMs = every === undefined ? null : msOf(every);
  // How many entries were applied or skipped, in all rounds.
  let applied = 0;
  const stateAt = (nowMs: number): EmulatorState => {
    const elapsedMs = nowMs - startMs;
    if (repeatsEveryMs !== null && length > 0) {
      // The oldest rounds are skipped: their state lasted between two requests, so no client saw it.
      const mostRounds = Math.max(2, Math.floor(maxEntriesAtOnce / length));
      const firstRound = Math.floor(elapsedMs / repeatsEveryMs) - mostRounds + 1;
      applied = Math.max(applied, firstRound * length);
    }
    for (;;) {
      const round = Math.floor(applied / length);
      const entry = entries[applied % length];
      if (entry === undefined || (round > 0 && repeatsEveryMs === null)) return state;
      const atElapsedMs = round * (repeatsEveryMs ?? 0) + msOf(entry.at);
      if (atElapsedMs > elapsedMs) return state;
      applied += 1;
      const problem = applyAction(state, entry, startMs + atElapsedMs);
      if (problem !== null) onProblem(entry, problem);
    }
  };
  return { startMs, stateAt };
}
