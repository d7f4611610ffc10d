import { messageOf } from '../model/errors.ts';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { advance, type Step, type Taken } from '../model/advance.ts';
import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';
import type { PollAnswer, PollContext, PollFailure, PollOutcome } from '../model/poll-outcome.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { withTrend } from '../model/trend.ts';
import type { PollLog } from './poll-log.ts';

export interface TargetPollTools {
  readonly collectors: CollectorSet;
  /** Polls the service about a target. Rejects with a CodedError. */
  readonly poll: (target: Target, context: PollContext) => Promise<PollAnswer>;
  readonly clock: Clock;
  /** The records that polls continue. */
  readonly published: PublishedRecords;
  /**
   * Advances the record of a target by a step, which gives `null` where nothing is to be done. Stores and
   * publishes the result, and resolves with it. Never rejects: polling goes on when the store fails.
   */
  readonly keep: (target: Target, step: Step) => Promise<Taken | null>;
  /**
   * Whether a failure means that the target is left out from now on. The failure is then neither counted nor
   * logged here.
   */
  readonly leavesOut: (target: Target, code: string) => boolean;
  readonly log: PollLog;
}

export interface TargetPollContext extends Pick<
  PollContext,
  'signal' | 'deadlineMs' | 'beforeSend'
> {
  /** Whether a reload has removed the target, so that its poll is of no use. */
  readonly isGone: () => boolean;
  /** The length of a step of the trend. */
  readonly trendStepMs: number;
}

/**
 * Polls a target once: its record is advanced, kept, published and logged. Only this function turns an error of
 * a poll into data. An error without a code is a bug of this program in reading the answer. It becomes a failed
 * poll too, and ends neither the cycle nor the process.
 *
 * @returns the record; `null` when the poll was cut short, or its target is gone or left out
 */
export async function pollTarget(
  target: Target,
  { signal, deadlineMs, beforeSend, isGone, trendStepMs }: TargetPollContext,
  { clock, collectors, keep, leavesOut, log, poll }: TargetPollTools,
): Promise<TargetRecord | null> {
  const collector = collectors.of(target);
  const startedMs = clock.now();
  let outcome: PollOutcome;
  try {
    const context = { signal, deadlineMs, beforeSend };
    const { snapshot, anomalies } = await poll(target, context);
    outcome = { ok: true, snapshot, anomalies, durationMs: Math.max(0, clock.now() - startedMs) };
  } catch (error) {
    // A poll that we stopped says nothing about the service.
    if (signal.aborted) return null;
    log.pollThrew(target, error);
    outcome = failure(error, Math.max(0, clock.now() - startedMs));
    if (leavesOut(target, outcome.code)) return null;
  }

  const taken = await keep(target, (before) => {
    // The answer may have come right before the reload that removed its target.
    if (isGone()) return null;
    const { changes, record } = advance(before, outcome, clock.now(), collector);
    return { changes, record: withTrend(record, (each) => collector.quotas(each), trendStepMs) };
  });
  if (taken === null) return null;
  if (isGone()) {
    // The changes are counted, and the next poll does not find them again.
    log.changed(taken);
    return null;
  }
  log.polled(taken, outcome);
  return taken.record;
}

function failure(error: unknown, durationMs: number): PollFailure {
  if (error instanceof CodedError) {
    const { code, message, requestId } = error;
    return { ok: false, code, message, requestId, durationMs };
  }
  const message = messageOf(error);
  return { ok: false, code: 'InvalidResponse', message, requestId: null, durationMs };
}
