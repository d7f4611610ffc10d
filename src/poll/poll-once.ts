import { setMaxListeners } from 'node:events';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { advance, type Taken } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import type { PollOutcome } from '../model/poll-outcome.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { usualStepMs } from '../model/trend.ts';
import { pollTarget, type PollTools } from './poll-target.ts';
import { visitInWaves } from './waves.ts';

/** The records of the polls that have ended, by the keys of their targets. */
export type PolledRecords = ReadonlyMap<string, TargetRecord>;

export interface PollOnceOptions extends Pick<PollTools, 'poll' | 'log'> {
  readonly collectors: CollectorSet;
  readonly clock: Clock;
  readonly accounts: readonly string[];
  /** The targets of an account, with those that the records found. */
  readonly targetsOf: (account: string, records: PolledRecords) => readonly Target[];
  /** Ends the polls. Targets without an answer then have no record. */
  readonly signal: AbortSignal;
  /** Ends the polls, too. Targets without an answer then have failed with `Timeout`. */
  readonly timeLimit: AbortSignal;
  /** Called with the number of targets that are known, and with each record as soon as its target was polled. */
  readonly onPlanned: (targets: number) => void;
  readonly onPolled: (record: TargetRecord) => void;
}

/**
 * Polls every target once, in the order of a cycle of the daemon. It has no schedule and no earlier records, and it
 * stores nothing. Only the number of attempts bounds the retries.
 *
 * @returns the records by the keys of their targets; without the polls that `signal` ended
 */
export async function pollOnce(options: PollOnceOptions): Promise<PolledRecords> {
  const { accounts, clock, collectors, log, onPlanned, onPolled, timeLimit } = options;
  const signal = AbortSignal.any([options.signal, timeLimit]);
  // All polls listen to the same signal, so Node.js must not warn about many listeners.
  setMaxListeners(0, signal);
  const records = new Map<string, TargetRecord>();
  const publish = (taken: Taken) => {
    records.set(targetKey(taken.record.target), taken.record);
    onPolled(taken.record);
    return taken;
  };
  const tools: PollTools = {
    ...options,
    trendStepMs: () => usualStepMs,
    keep: (target, step) => {
      const before = collectors.of(target).newRecord(target);
      const next = step(before);
      return Promise.resolve(next && publish({ before, ...next }));
    },
  };
  const counts = new Map<string, number>();
  const targetsOf = (account: string) => {
    const targets = options.targetsOf(account, records);
    if (counts.get(account) !== targets.length) {
      counts.set(account, targets.length);
      onPlanned([...counts.values()].reduce((sum, count) => sum + count, 0));
    }
    return targets;
  };
  const visit = async (target: Target) => {
    if (!signal.aborted) await pollTarget(target, { signal, deadlineMs: Infinity }, tools);
  };
  const startedMs = clock.now();
  await Promise.all(
    accounts.map((account) =>
      visitInWaves({ collectors, targets: () => targetsOf(account), visit }),
    ),
  );
  if (!timeLimit.aborted) return records;
  for (const target of accounts.flatMap(targetsOf)) {
    if (records.has(targetKey(target))) continue;
    const collector = collectors.of(target);
    const before = collector.newRecord(target);
    const outcome: PollOutcome = {
      ok: false,
      code: 'Timeout',
      message: 'the time limit of the command ended before the answer',
      requestId: null,
      durationMs: Math.max(0, clock.now() - startedMs),
    };
    log.polled(publish({ before, ...advance(before, outcome, clock.now(), collector) }), outcome);
  }
  return records;
}
