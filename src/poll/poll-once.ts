/** Polls every target once, for `check` and `init`. */
import { setMaxListeners } from 'node:events';
import { newRecord, type TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import { usualStepMs } from '../model/trend.ts';
import { createPollTarget, type PollTargetOptions, type UpdateRecord } from './poll-target.ts';
import { visitInWaves } from './cycle.ts';

/** The records of the polls that have ended, by the keys of their targets. */
export type PolledRecords = ReadonlyMap<string, TargetRecord>;

export interface PollOnceOptions extends Omit<PollTargetOptions, 'trendStepMs' | 'update'> {
  readonly accounts: readonly string[];
  /** The targets of an account, with those that the records found. */
  readonly targetsOf: (account: string, records: PolledRecords) => readonly Target[];
  /** Whether a target is polled, as the records say when its turn comes. */
  readonly isAsked: (target: Target, records: PolledRecords) => boolean;
  /** Ends the polls. Targets without an answer then have no record. */
  readonly signal: AbortSignal;
  /** Ends the polls with a CodedError, which is then the failure of the targets without an answer. Default: no limit. */
  readonly timeLimit?: AbortSignal | undefined;
  /** Called with each record as soon as its target was polled. */
  readonly onPolled: (record: TargetRecord) => void;
}

/**
 * Polls every target once, in the order of a cycle of the daemon. It has no schedule and no earlier records, and it
 * stores nothing. Only the number of attempts bounds the retries.
 *
 * @returns the records by the keys of their targets; without the polls that `signal` ended
 */
export async function pollOnce(options: PollOnceOptions): Promise<PolledRecords> {
  const { accounts, ask, clock, collectors, log, onPolled, targetsOf, timeLimit } = options;
  const signals = timeLimit === undefined ? [options.signal] : [options.signal, timeLimit];
  const signal = AbortSignal.any(signals);
  // All polls listen to the same signal, so Node.js must not warn about many listeners.
  setMaxListeners(0, signal);
  const records = new Map<string, TargetRecord>();
  const update: UpdateRecord = (target, updater) => {
    const before = newRecord(target, collectors.of(target));
    const next = updater(before);
    if (next === null) return Promise.resolve(null);
    records.set(targetKey(target), next.record);
    onPolled(next.record);
    return Promise.resolve({ before, ...next });
  };
  const trendStepMs = () => usualStepMs;
  const pollTarget = createPollTarget({ ask, clock, collectors, log, trendStepMs, update });
  const visit = async (target: Target) => {
    if (options.signal.aborted || !options.isAsked(target, records)) return;
    await pollTarget(target, { signal, deadlineMs: Infinity });
  };
  await Promise.all(
    accounts.map((account) =>
      visitInWaves({ collectors, targets: () => targetsOf(account, records), visit }),
    ),
  );
  return records;
}
