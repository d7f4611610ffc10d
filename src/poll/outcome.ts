import { CodedError } from '../model/coded-error.ts';
import type { Anomaly, PollOutcome } from '../model/poll-outcome.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** A successful answer to a poll. */
export interface PollAnswer {
  readonly snapshot: Snapshot;
  readonly anomalies: readonly Anomaly[];
}

/** The outcome of a poll that was answered. */
export function success(answer: PollAnswer, durationMs: number): PollOutcome {
  return { ok: true, snapshot: answer.snapshot, anomalies: answer.anomalies, durationMs };
}

/**
 * The outcome of a poll that threw: the one place where an error becomes data. An error without a
 * code is a fault of ours in reading the answer, and is reported as such rather than ending anything.
 */
export function failure(error: unknown, durationMs: number): PollOutcome {
  if (error instanceof CodedError) {
    const { code, message, requestId } = error;
    return { ok: false, code, message, requestId, durationMs };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { ok: false, code: 'InvalidResponse', message, requestId: null, durationMs };
}
