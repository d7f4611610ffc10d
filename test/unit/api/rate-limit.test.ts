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
      // With the network's own delay at most 250 ms without an answer: no limit can foresee more.
      transitMs: fc.integer({ min: 0, max: 150 }),
      answerMs: fc.integer({ min: 0, max: 3000 }),
    });
    const run = fc.record({
      perSecond: fc.integer({ min: 1, max: 20 }),
      // The least that anything takes on its way; the first request takes no more.
      networkMs: fc.record({ there: fc.nat(100), back: fc.nat(100) }),
      requests: fc.array(request, { minLength: 1, maxLength: 80 }),
    });

    await fc.assert(
      fc.asyncProperty(run, async ({ perSecond, networkMs, requests }) => {
        const limit = new RateLimit(perSecond);
        const arrivals: number[] = [];
        const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
        const send = async ({ waitMs, connectMs, transitMs, answerMs }: (typeof requests)[0]) => {
          await wait(waitMs);
          const token = await limit.acquire(never);
          await wait(connectMs);
          token.sent();
          await wait(networkMs.there + transitMs);
          arrivals.push(performance.now());
          await wait(networkMs.back + answerMs);
          token.finished();
        };

        const first = { waitMs: 0, connectMs: 0, transitMs: 0, answerMs: 0 };
        const done = Promise.all([first, ...requests].map(send));
        await vi.runAllTimersAsync();
        await done;

        expect(arrivals).toHaveLength(requests.length + 1);
        expect(mostInASecond(arrivals)).toBeLessThanOrEqual(perSecond);
      }),
      { numRuns: 200 },
    );
  });

  it('makes no second last a round trip longer, once it knows how long that takes', async () => {
    const limit = new RateLimit(20);
    const startedMs = performance.now();
    const cycle = Array.from({ length: 400 }, async () => {
      const token = await limit.acquire(never);
      token.sent();
      await new Promise((resolve) => setTimeout(resolve, 50));
      token.finished();
    });
    const done = Promise.all(cycle);
    await vi.runAllTimersAsync();
    await done;

    const idealMs = (400 - 20) * 50 + 50;
    expect((performance.now() - startedMs) / idealMs).toBeLessThan(1.03);
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
