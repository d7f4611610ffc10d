import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RetryTimer, type RetryTiming } from '../../../src/state/retry-timer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const quick = { minMs: 10, maxMs: 50 };

/** Work that is done at the attempts with these numbers, and when each attempt began. */
function setUp(doneAt: readonly number[], timing: RetryTiming | undefined) {
  const startMs = Date.now();
  const begunAtMs: number[] = [];
  const timer = new RetryTimer(() => {
    begunAtMs.push(Date.now() - startMs);
    return Promise.resolve(doneAt.includes(begunAtMs.length));
  }, timing);
  return { begunAtMs, timer };
}

it('doubles its pauses up to the longest, until the work is done', async () => {
  const { begunAtMs, timer } = setUp([5], quick);

  timer.begin();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(begunAtMs).toEqual([10, 30, 70, 120, 170]);
});

it('begins with a second, and ends with ten', async () => {
  const { begunAtMs, timer } = setUp([6], undefined);

  timer.begin();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(begunAtMs).toEqual([1, 3, 7, 15, 25, 35].map((seconds) => seconds * 1_000));
});

it('begins with the shortest pause again after the work was done', async () => {
  const { begunAtMs, timer } = setUp([2, 3], quick);
  timer.begin();
  await vi.advanceTimersByTimeAsync(100);

  timer.begin();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(begunAtMs).toEqual([10, 30, 110]);
});

it('retries once at a time, however often it is begun', async () => {
  const { begunAtMs, timer } = setUp([2], quick);

  timer.begin();
  timer.begin();
  await vi.advanceTimersByTimeAsync(5);
  timer.begin();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(begunAtMs).toEqual([10, 30]);
});

/** A timer whose first attempt has begun, and ends when the test says so. */
async function inAnAttempt() {
  let finish: (isDone: boolean) => void = () => undefined;
  let attempts = 0;
  const timer = new RetryTimer(() => {
    attempts += 1;
    return new Promise((resolve) => (finish = resolve));
  });
  timer.begin();
  await vi.advanceTimersByTimeAsync(1_000);
  return {
    timer,
    attempts: () => attempts,
    finish: (isDone: boolean) => {
      finish(isDone);
    },
  };
}

it('begins no other attempt during one', async () => {
  const { attempts, finish, timer } = await inAnAttempt();

  timer.begin();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(attempts()).toBe(1);

  finish(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(attempts()).toBe(2);
});

it('stops before an attempt, and does not begin again', async () => {
  const { begunAtMs, timer } = setUp([], quick);
  timer.begin();
  expect(timer.isStopped).toBe(false);

  await timer.stop();
  timer.begin();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(timer.isStopped).toBe(true);
  expect(begunAtMs).toEqual([]);
});

it('waits with its stop for the attempt under way, which is the last', async () => {
  const { attempts, finish, timer } = await inAnAttempt();

  let isStopped = false;
  const stopping = timer.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStopped).toBe(false);

  finish(false);
  await stopping;
  await vi.advanceTimersByTimeAsync(100_000);
  expect(attempts()).toBe(1);
});
