import { setMaxListeners } from 'node:events';
import { PublishedRecords } from '../model/published-records.ts';
import { advance } from '../model/advance.ts';
import type { PollFailure } from '../model/poll-outcome.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { usualStepMs } from '../model/trend.ts';
import { pollTarget, type TargetPollTools } from './poll-target.ts';

export interface PollOnceOptions extends Omit<TargetPollTools, 'keep' | 'published'> {
  /** Ends the polls. Targets without an answer then have no record. */
  readonly signal: AbortSignal;
  /** Ends the polls, too. Targets without an answer then have failed with `Timeout`. */
  readonly timeLimit: AbortSignal;
  /** Called with the number of targets, before the first poll and when discovery has found more. */
  readonly onPlanned: (targets: number) => void;
  /** Called with each record as soon as its target was polled. */
  readonly onPolled: (record: TargetRecord) => void;
}

/**
 * Polls every target once, all in parallel, then those that their answers found. It has no schedule and no
 * earlier records, and it stores nothing. The client keeps the rate limit. Only the number of attempts bounds
 * the retries.
 *
 * @param plan returns the targets, with those that the records found
 * @returns one record per target, in the order of the targets; without the polls that `signal` ended
 */
export async function pollOnce(
  plan: (records: Pick<PublishedRecords, 'get'>) => readonly Target[],
  { signal: interrupt, timeLimit, onPlanned, onPolled, ...tools }: PollOnceOptions,
): Promise<TargetRecord[]> {
  const signal = AbortSignal.any([interrupt, timeLimit]);
  // All polls listen to the same signal, so Node.js must not warn about many listeners.
  setMaxListeners(0, signal);
  const context = {
    signal,
    deadlineMs: Infinity,
    isGone: () => false,
    trendStepMs: usualStepMs,
  };
  const published = new PublishedRecords();
  const keep: TargetPollTools['keep'] = (target, step) => {
    const before = tools.collectors.of(target).newRecord(target);
    const polled = step(before);
    return Promise.resolve(polled && { before, ...polled });
  };
  const poll = async (target: Target) => {
    const record = await pollTarget(target, context, { ...tools, published, keep });
    if (record === null) return;
    published.publish(record);
    onPolled(record);
  };
  const startedMs = tools.clock.now();
  const giveUp = (target: Target) => {
    const rules = tools.collectors.of(target);
    const before = rules.newRecord(target);
    const nowMs = tools.clock.now();
    const outcome = givenUp(Math.max(0, nowMs - startedMs));
    const taken = { before, ...advance(before, outcome, nowMs, rules) };
    tools.log.polled(taken, outcome);
    published.publish(taken.record);
    onPolled(taken.record);
  };
  const begun = new Set<string>();
  for (;;) {
    const targets = plan(published);
    const next = targets.filter((target) => !begun.has(targetKey(target)));
    if (next.length === 0 || signal.aborted) {
      if (timeLimit.aborted) {
        for (const target of targets) if (!published.get(targetKey(target))) giveUp(target);
      }
      return targets.flatMap((target) => published.get(targetKey(target)) ?? []);
    }
    onPlanned(targets.length);
    for (const target of next) begun.add(targetKey(target));
    await Promise.all(next.map(poll));
  }
}

function givenUp(durationMs: number): PollFailure {
  const message = 'the time limit of the command ended before the answer';
  return { ok: false, code: 'Timeout', message, requestId: null, durationMs };
}
