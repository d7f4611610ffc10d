/** Polls one target: asks the service, and updates the record. The poller of the daemon, `check` and `init` call it. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import { advance, maxMissing, type RecordUpdate, type RecordUpdater } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';
import {
  failureOf,
  type PollAnswer,
  type PollContext,
  type PollOutcome,
} from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';
import { withTrend } from '../model/trend.ts';
import type { PollLog } from './poll-log.ts';

/**
 * Advances the record of a target, in files or in Redis: stores what `updater` returns if needed, and publishes it. Updates
 * of one target run one after the other. Each is stored, then counted, as `PublishedRecords.update` says. Never rejects.
 *
 * @param updater gives `null` when the record stays as it is
 * @returns what is published now, without the changes that could not be stored. `null` when the record stays as it is, the
 *   target is gone, or another daemon writes the records of the account
 */
export type UpdateRecord = (target: Target, updater: RecordUpdater) => Promise<RecordUpdate | null>;

interface PollTargetOptions {
  readonly collectors: CollectorSet;
  /** Asks the service about a target. Rejects with a CodedError. */
  readonly ask: (target: Target, context: PollContext) => Promise<PollAnswer>;
  readonly update: UpdateRecord;
  readonly clock: Clock;
  readonly log: PollLog;
  /** The length of a step of the trends. */
  readonly trendStepMs: () => number;
}

/**
 * Polls a target once: its record is advanced, stored, published and logged. Never rejects.
 *
 * @returns the published update; `null` when the poll was cut short, or {@link UpdateRecord} gives `null`
 */
export type PollTarget = (target: Target, context: PollContext) => Promise<RecordUpdate | null>;

/**
 * Creates the function that polls a target. Only that function turns an error of a poll into data. An error without a
 * code is a bug of this program in reading the answer: it becomes a failed poll too, and ends neither the cycle nor the
 * process. A signal that aborts with a CodedError fails the poll with it.
 */
export function createPollTarget(options: PollTargetOptions): PollTarget {
  const { ask, clock, collectors, log, trendStepMs, update } = options;
  return async (target, context) => {
    const { signal } = context;
    const collector = collectors.of(target);
    const startedMs = clock.now();
    const durationMs = () => Math.max(0, clock.now() - startedMs);
    let outcome: PollOutcome;
    try {
      const answer = withFewDetails(await ask(target, context));
      outcome = { ok: true, ...answer, durationMs: durationMs() };
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (!(reason instanceof CodedError) && !signal.aborted) log.threw(target, reason);
      outcome = failureOf(reason, durationMs());
    }
    const updated = await update(target, (before) => {
      // A poll that was stopped says nothing about the service, and a removed target needs no answer.
      if (signal.aborted && !(signal.reason instanceof CodedError)) return null;
      const { changes, record } = advance(before, outcome, clock.now(), collector);
      return {
        changes,
        record: withTrend(record, (next) => collector.quotas(next), trendStepMs()),
      };
    });
    if (updated !== null) log.polled(updated, outcome);
    return updated;
  };
}

/**
 * Drops the details of anomalies beyond those that a record names: an answer is kept until its record is stored, and texts
 * about thousands of rows would need megabytes.
 */
export function withFewDetails({ anomalies, snapshot }: PollAnswer): PollAnswer {
  const harmful = anomalies.filter(({ isHarmless }) => isHarmless !== true);
  const named = new Set(harmful.slice(0, maxMissing));
  const few = anomalies.map((each) => (named.has(each) ? each : { ...each, detail: '' }));
  return { snapshot, anomalies: few };
}
