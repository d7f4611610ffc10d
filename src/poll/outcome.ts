import type { Clock } from '../model/clock.ts';
import { CodedError } from '../model/coded-error.ts';
import type { PollAnswer, PollContext, PollOutcome } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';
import type { PollLog } from './poll-log.ts';

/** Polls the service about a target. Rejects with a CodedError. */
export type Poll = (target: Target, context: PollContext) => Promise<PollAnswer>;

export interface PollTools {
  readonly poll: Poll;
  readonly clock: Clock;
  readonly log: Pick<PollLog, 'pollThrew'>;
}

/**
 * Polls a target once. Only this function turns an error into data. An error without a code is a bug of this
 * program in reading the answer. It becomes a failed poll too, and ends neither the cycle nor the process.
 *
 * @returns `null` when the signal aborted: a poll that we stopped says nothing about the service
 */
export async function pollOutcome(
  target: Target,
  context: PollContext,
  { poll, clock, log }: PollTools,
): Promise<PollOutcome | null> {
  const startedMs = clock.now();
  const elapsedMs = () => Math.max(0, clock.now() - startedMs);
  return poll(target, context).then(
    (answer) => ({ ok: true as const, ...answer, durationMs: elapsedMs() }),
    (error: unknown) => {
      if (context.signal.aborted) return null;
      log.pollThrew(target, error);
      return failure(error, elapsedMs());
    },
  );
}

function failure(error: unknown, durationMs: number): PollOutcome {
  if (error instanceof CodedError) {
    const { code, message, requestId } = error;
    return { ok: false, code, message, requestId, durationMs };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { ok: false, code: 'InvalidResponse', message, requestId: null, durationMs };
}
