import { setMaxListeners } from 'node:events';
import { expect, vi } from 'vitest';
import type { Gate, QueuedRequest, RateLimit, Token } from '../../src/api/rate-limit.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
const openGate: Gate = { group: {}, enter: () => 'open' };
/** A gate that never opens, of a group of its own. */
export const closedGate = (): Gate => ({ group: {}, enter: () => 'closed' });

/** Waits for a turn of a rate limit, behind all who wait. The gate is open unless the options say otherwise. */
export function turnOf(
  limit: RateLimit,
  { signal = never, ...queue }: Partial<QueuedRequest> & { signal?: AbortSignal } = {},
): Promise<Token> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = { gate: openGate, isFirst: false, onTurn: resolve, ...queue };
    limit.enqueue(request);
    signal.addEventListener('abort', () => {
      limit.leave(request);
      reject(signal.reason as Error);
    });
  });
}

/**
 * Expects a promise to resolve between two times from now, in milliseconds of Vitest's fake clock.
 *
 * @param notAtMs when it is still pending
 * @param byMs when it is resolved
 */
export async function expectResolvedBetween(
  promise: Promise<unknown>,
  notAtMs: number,
  byMs: number,
): Promise<void> {
  let isResolved = false;
  void promise.then(() => {
    isResolved = true;
  });

  await vi.advanceTimersByTimeAsync(notAtMs);
  expect(isResolved).toBe(false);
  await vi.advanceTimersByTimeAsync(byMs - notAtMs);
  expect(isResolved).toBe(true);
}
