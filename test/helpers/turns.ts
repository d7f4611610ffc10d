import { expect, vi } from 'vitest';

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
