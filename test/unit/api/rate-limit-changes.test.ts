import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimit, type Token } from '../../../src/api/rate-limit.ts';
import { closedGate, expectResolvedBetween, turnOf } from '../../helpers/turns.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a rate limit that the service throttles', () => {
  /** Sends a request that the service answers at once. */
  const send = async (limit: RateLimit) => {
    const acquiring = turnOf(limit);
    await vi.advanceTimersByTimeAsync(2_000);
    const token = await acquiring;
    token.sent();
    token.finished();
    return token;
  };

  it('sends nothing for the time of the pause', async () => {
    const limit = new RateLimit(10);
    const token = await turnOf(limit);
    limit.throttled(token.atMs, 1_200);

    await expectResolvedBetween(turnOf(limit), 1_190, 1_210);
  });

  it('halves its rate once for all refusals of one second, and never below 1', async () => {
    const limit = new RateLimit(10);
    const tokens = [await turnOf(limit), await turnOf(limit)];
    for (const token of tokens) token.finished();

    await vi.advanceTimersByTimeAsync(1);
    for (const { atMs } of tokens) limit.throttled(atMs, 1_000);
    const rates = [limit.requestsPerSecond];
    for (let i = 0; i < 4; i += 1) {
      const { atMs } = await send(limit);
      limit.throttled(atMs, 1_000);
      rates.push(limit.requestsPerSecond);
    }

    expect(rates).toEqual([5, 2, 1, 1, 1]);
  });

  it('rises by a tenth of the configured rate for every second of answers, and no further', async () => {
    const limit = new RateLimit(20);
    const { atMs } = await turnOf(limit);
    limit.throttled(atMs, 1_000);
    const rates = [];

    for (let i = 0; i < 7; i += 1) {
      await send(limit);
      limit.answered();
      rates.push(limit.requestsPerSecond);
    }

    expect(rates).toEqual([12, 14, 16, 18, 20, 20, 20]);
  });

  it('rises by 1 where a tenth of the configured rate is less', async () => {
    const limit = new RateLimit(4);
    const { atMs } = await turnOf(limit);
    limit.throttled(atMs, 0);

    await vi.advanceTimersByTimeAsync(1_000);
    limit.answered();

    expect(limit.requestsPerSecond).toBe(3);
  });

  it('rises at most once in a second, and not within a second of a refusal or a pause', async () => {
    const limit = new RateLimit(20);
    const { atMs } = await turnOf(limit);
    limit.throttled(atMs, 500);
    const rates: number[] = [];
    const answeredAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      limit.answered();
      rates.push(limit.requestsPerSecond);
    };

    for (const ms of [1_000, 499, 1, 999, 1]) await answeredAfter(ms);

    expect(rates).toEqual([10, 10, 12, 12, 14]);
  });

  it('is not lowered again by a request that was sent before, but by one of the same moment', async () => {
    const limit = new RateLimit(8);
    const before = await turnOf(limit);
    await vi.advanceTimersByTimeAsync(1);
    const after = await turnOf(limit);
    limit.throttled(after.atMs, 0);

    limit.throttled(before.atMs, 0);
    expect(limit.requestsPerSecond).toBe(4);
    limit.throttled(after.atMs, 0);
    expect(limit.requestsPerSecond).toBe(2);
  });

  it('is not paused for a shorter time by a shorter pause', async () => {
    const limit = new RateLimit(10);
    limit.pause(1_000);
    limit.pause(100);

    await expectResolvedBetween(turnOf(limit), 999, 1_000);
  });

  it('keeps a lowered rate when another one is configured, and never exceeds that one', async () => {
    const limit = new RateLimit(10);
    const { atMs } = await turnOf(limit);
    limit.throttled(atMs, 0);
    const rates: number[] = [];

    for (const configured of [10, 20, 3, 30]) {
      limit.configure(configured);
      rates.push(limit.requestsPerSecond);
    }

    expect(rates).toEqual([5, 5, 3, 30]);
  });

  it('serves first whoever was refused', async () => {
    const limit = new RateLimit(1);
    const order: string[] = [];
    const refused = await turnOf(limit);
    refused.sent();
    refused.finished();
    const queue = (name: string, isFirst: boolean) =>
      turnOf(limit, { isFirst }).then((token) => {
        order.push(name);
        token.sent();
        token.finished();
      });
    limit.throttled(refused.atMs, 1_000);

    void queue('new', false);
    void queue('refused', true);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(order).toEqual(['refused', 'new']);
  });
});

describe('a rate limit that is configured', () => {
  it('gives the turns of a higher rate at once', async () => {
    const limit = new RateLimit(1);
    await turnOf(limit);
    const next = turnOf(limit);

    limit.configure(2);

    await expect(next).resolves.toBeDefined();
    expect(limit.requestsPerSecond).toBe(2);
  });

  it('is idle only without requests of the last second, waiting requests, and a lowered rate', async () => {
    const limit = new RateLimit(2);
    const idle = [limit.isIdle];
    const first = await turnOf(limit);
    idle.push(limit.isIdle);
    first.sent();
    first.finished();
    await vi.advanceTimersByTimeAsync(1_004);
    idle.push(limit.isIdle);
    await vi.advanceTimersByTimeAsync(1);
    idle.push(limit.isIdle);

    const leaving = new AbortController();
    turnOf(limit, { gate: closedGate(), signal: leaving.signal }).catch(() => undefined);
    idle.push(limit.isIdle);
    leaving.abort();
    idle.push(limit.isIdle);

    limit.lower(1);
    idle.push(limit.isIdle);

    expect(idle).toEqual([true, false, false, true, false, true, false]);
  });

  it('has no timer once the last request that waits got its turn, or left', () => {
    const limit = new RateLimit(1);
    const gate = { group: {}, enter: () => 'open' as const };
    const onTurn = (token: Token) => {
      token.sent();
    };
    limit.enqueue({ gate, isFirst: false, onTurn });
    expect(vi.getTimerCount()).toBe(0);

    const waiting = { gate, isFirst: false, onTurn };
    limit.enqueue(waiting);
    expect(vi.getTimerCount()).toBe(1);
    limit.leave(waiting);

    expect(vi.getTimerCount()).toBe(0);
  });

  it('has no timer while no request waits', async () => {
    const limit = new RateLimit(1);
    const leaving = new AbortController();
    const first = await turnOf(limit, { signal: leaving.signal });
    first.sent();
    leaving.abort();
    expect(vi.getTimerCount()).toBe(0);

    const next = turnOf(limit);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_250);
    await next;

    expect(vi.getTimerCount()).toBe(0);
  });
});
