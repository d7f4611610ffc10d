import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimit } from '../../../src/api/rate-limit.ts';
import { observedClient, quotaTarget, unbounded } from '../../helpers/api-client.ts';
import { answerFields, startStubService } from '../../helpers/stub-service.ts';

/** The most moments that fall into any sliding second. */
function mostInASecond(momentsMs: readonly number[]): number {
  const sorted = [...momentsMs].sort((a, b) => a - b);
  const counts = sorted.map(
    (start) => sorted.filter((at) => at >= start && at < start + 1000).length,
  );
  return Math.max(0, ...counts);
}

const never = new AbortController().signal;
setMaxListeners(0, never);

describe('the rate limit', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('never lets more arrive in a sliding second, however long connections and answers take', async () => {
    const request = fc.record({
      waitMs: fc.integer({ min: 0, max: 600 }),
      connectMs: fc.integer({ min: 0, max: 3000 }),
      // Arriving at most 250 ms late without an answer: no limit can foresee more.
      transitMs: fc.integer({ min: 0, max: 250 }),
      answerMs: fc.integer({ min: 0, max: 3000 }),
    });
    const runs = fc.array(request, { minLength: 1, maxLength: 60 });

    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), runs, async (perSecond, requests) => {
        const limit = new RateLimit(perSecond);
        const arrivals: number[] = [];
        const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

        const all = requests.map(async ({ waitMs, connectMs, transitMs, answerMs }) => {
          await wait(waitMs);
          const token = await limit.acquire(never);
          await wait(connectMs);
          token.sent();
          await wait(transitMs);
          arrivals.push(performance.now());
          await wait(answerMs);
          token.finished();
        });
        const done = Promise.all(all);
        await vi.runAllTimersAsync();
        await done;

        expect(arrivals).toHaveLength(requests.length);
        expect(mostInASecond(arrivals)).toBeLessThanOrEqual(perSecond);
      }),
      { numRuns: 100 },
    );
  });

  it('serves those who wait in the order of their coming', async () => {
    const limit = new RateLimit(2);
    const order: number[] = [];

    for (const number of [1, 2, 3, 4, 5]) {
      void limit.acquire(never).then((token) => {
        order.push(number);
        token.sent();
        token.finished();
      });
    }
    await vi.runAllTimersAsync();

    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives the turn of one who leaves the queue to the next', async () => {
    const limit = new RateLimit(1);
    const abort = new AbortController();
    const first = await limit.acquire(never);
    const leaving = limit.acquire(abort.signal);
    const next = limit.acquire(never);

    abort.abort();
    await expect(leaving).rejects.toThrow();
    first.sent();
    first.finished();
    const startedMs = performance.now();
    await vi.runAllTimersAsync();
    await next;

    expect(performance.now() - startedMs).toBeLessThan(1100);
  });

  it('refuses a signal that has aborted already', async () => {
    const limit = new RateLimit(1);

    await expect(limit.acquire(AbortSignal.abort())).rejects.toThrow();
    await expect(limit.acquire(never)).resolves.toBeDefined();
  });

  it('frees a turn that sent nothing at once', async () => {
    const limit = new RateLimit(1);
    const first = await limit.acquire(never);
    const next = limit.acquire(never);

    first.cancel();
    await vi.advanceTimersByTimeAsync(1);

    await expect(next).resolves.toBeDefined();
  });

  it('does not wait for slow answers', async () => {
    const limit = new RateLimit(1);
    const first = await limit.acquire(never);
    first.sent();
    const next = limit.acquire(never);

    await vi.advanceTimersByTimeAsync(1250);

    await expect(next).resolves.toBeDefined();
  });
});

describe('the requests of a client', () => {
  it.each([3, 20])('arrive at most %i in any sliding second', async (requestsPerSecond) => {
    const service = await startStubService((_request, response) => {
      answerFields(response, { AccountQuotaOverview: { AccountQuota: {} } });
    });
    const client = observedClient(service.url, { requestsPerSecond });

    const polls = Array.from({ length: requestsPerSecond * 3 + 1 }, () =>
      client.poll(quotaTarget(), unbounded()),
    );
    await Promise.all(polls);

    const arrivals = service.requests.map((request) => request.arrivedAtMs);
    expect(arrivals).toHaveLength(polls.length);
    expect(mostInASecond(arrivals)).toBe(requestsPerSecond);
    await client.close();
    await service.close();
  });
});
