import { CodedError } from '../model/coded-error.ts';
import type { PollAnswer, PollOutcome } from '../model/poll-outcome.ts';

/** The outcome of a poll that was answered. */
export function success(answer: PollAnswer, durationMs: number): PollOutcome {
  return { ok: true, ...answer, durationMs };
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
