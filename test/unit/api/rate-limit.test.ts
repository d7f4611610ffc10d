import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimit, type Token } from '../../../src/api/rate-limit.ts';
import { closedGate, expectResolvedBetween, turnOf } from '../../helpers/turns.ts';
import { observedClient, quotaTarget, unbounded } from '../../helpers/api-client.ts';
import { mostInASecond } from '../../helpers/most-in-a-second.ts';
import { answerFields, startStubService } from '../../helpers/stub-service.ts';
import { unstalled } from '../../helpers/unstalled.ts';

/** A gate that a test opens, of a group of its own. */
function lockedGate(isOpen = false) {
  const gate = {
    isOpen,
    group: {},
    enter: () => (gate.isOpen ? ('open' as const) : ('closed' as const)),
  };
  return gate;
}

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
          const token = await turnOf(limit);
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
      void turnOf(limit).then((token) => {
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
    const first = await turnOf(limit);
    const leaving = turnOf(limit, { signal: abort.signal });
    const next = turnOf(limit);

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

    await expect(turnOf(limit, { signal: AbortSignal.abort() })).rejects.toThrow();
    await expect(turnOf(limit)).resolves.toBeDefined();
  });

  it('frees a turn that sent nothing at once', async () => {
    const limit = new RateLimit(1);
    const first = await turnOf(limit);
    const next = turnOf(limit);

    first.unanswered();
    await vi.advanceTimersByTimeAsync(1);

    await expect(next).resolves.toBeDefined();
  });

  it('gives the first turn that is free, not the last', async () => {
    const limit = new RateLimit(2);
    const first = await turnOf(limit);
    first.sent();
    first.finished();
    await vi.advanceTimersByTimeAsync(500);
    const second = await turnOf(limit);
    second.sent();
    second.finished();

    await expectResolvedBetween(turnOf(limit), 504, 505);
  });

  it('does not take a request that was given up for one that has arrived', async () => {
    const limit = new RateLimit(1);
    const first = await turnOf(limit);
    first.sent();
    first.unanswered();

    await expectResolvedBetween(turnOf(limit), 1_249, 1_250);
  });

  it('does not wait for slow answers', async () => {
    const limit = new RateLimit(1);
    const first = await turnOf(limit);
    first.sent();
    const next = turnOf(limit);

    await vi.advanceTimersByTimeAsync(1250);

    await expect(next).resolves.toBeDefined();
  });
});

describe('a rate limit whose requests wait for connections', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('gives the turn of one whose gate is closed to the next', async () => {
    const limit = new RateLimit(1);
    const gate = closedGate();
    const dead = Array.from({ length: 20 }, () => turnOf(limit, { gate }));
    for (const each of dead) each.catch(() => undefined);

    await expect(turnOf(limit)).resolves.toBeDefined();
  });

  it('asks no more of a group than there are turns', () => {
    const limit = new RateLimit(3);
    const asked = new Set<number>();
    const group = {};

    for (let i = 0; i < 20; i += 1) {
      const enter = () => {
        asked.add(i);
        return 'closed' as const;
      };
      turnOf(limit, { gate: { group, enter } }).catch(() => undefined);
    }
    limit.serve();

    expect([...asked]).toEqual([0, 1, 2]);
  });

  it('asks the next of a group when one that was asked gives up', async () => {
    const limit = new RateLimit(1);
    const asked: number[] = [];
    const group = {};
    const first = new AbortController();
    const wait = (i: number, signal: AbortSignal) => {
      const enter = () => {
        asked.push(i);
        return 'closed' as const;
      };
      turnOf(limit, { signal, gate: { group, enter } }).catch(() => undefined);
    };
    wait(0, first.signal);
    wait(1, new AbortController().signal);

    first.abort();
    await vi.advanceTimersByTimeAsync(1);

    expect(asked.at(-1)).toBe(1);
  });

  it('asks no closed gate again, until a call says that it may be open', async () => {
    const limit = new RateLimit(2);
    const enter = vi.fn(() => 'closed' as const);
    turnOf(limit, { gate: { group: {}, enter } }).catch(() => undefined);

    await vi.advanceTimersByTimeAsync(2_000);

    expect(enter).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives a turn as soon as it is asked again and the gate is open', async () => {
    const limit = new RateLimit(1);
    const gate = lockedGate();
    const turn = turnOf(limit, { gate });

    gate.isOpen = true;
    limit.serve();

    await expect(turn).resolves.toBeDefined();
  });

  it('gives a request one turn, also when the one before it gives its own back at once', () => {
    const limit = new RateLimit(2);
    const gate = lockedGate();
    const onTurn = vi.fn();
    const giveBack = (token: Token) => {
      token.unanswered();
    };
    limit.enqueue({ gate, isFirst: false, onTurn: giveBack });
    limit.enqueue({ gate, isFirst: false, onTurn });

    gate.isOpen = true;
    limit.serve();

    expect(onTurn).toHaveBeenCalledTimes(1);
  });

  it('lets a request go without a turn, and gives the turn to the next', () => {
    const limit = new RateLimit(1);
    const gone = { group: {}, enter: vi.fn(() => 'gone' as const) };
    const onTurn = vi.fn();
    const onNoTurn = vi.fn();

    limit.enqueue({ gate: gone, isFirst: false, onTurn: onNoTurn });
    limit.serve();
    limit.enqueue({ gate: lockedGate(true), isFirst: false, onTurn });

    expect(gone.enter).toHaveBeenCalledTimes(1);
    expect(onNoTurn).not.toHaveBeenCalled();
    expect(onTurn).toHaveBeenCalledTimes(1);
  });

  it('never lets more arrive in a sliding second, whatever the gates, the rate and its changes', async () => {
    const request = fc.record({
      waitMs: fc.integer({ min: 0, max: 3000 }),
      opensAfterMs: fc.integer({ min: 0, max: 3000 }),
      transitMs: fc.integer({ min: 0, max: 250 }),
      answerMs: fc.integer({ min: 0, max: 3000 }),
      isThrottled: fc.boolean(),
    });
    const runs = fc.array(request, { minLength: 1, maxLength: 40 });
    const rates = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });

    await fc.assert(
      fc.asyncProperty(rates, runs, async (perSecond, requests) => {
        const most = Math.max(...perSecond);
        const limit = new RateLimit(perSecond[0] ?? 1);
        const arrivals: number[] = [];
        const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
        const reloads = perSecond.map(async (rate, i) => {
          await wait(i * 700);
          limit.configure(rate);
        });

        const all = requests.map(async (each) => {
          await wait(each.waitMs);
          const gate = lockedGate();
          setTimeout(() => {
            gate.isOpen = true;
            limit.serve();
          }, each.opensAfterMs);
          const token = await turnOf(limit, { gate });
          token.sent();
          await wait(each.transitMs);
          arrivals.push(performance.now());
          await wait(each.answerMs);
          token.finished();
          if (each.isThrottled) limit.throttled(token.atMs, 1_000);
          else limit.answered();
        });
        const done = Promise.all([...all, ...reloads]);
        await vi.runAllTimersAsync();
        await done;

        expect(arrivals).toHaveLength(requests.length);
        expect(mostInASecond(arrivals)).toBeLessThanOrEqual(most);
        expect(limit.requestsPerSecond).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the requests of a client', () => {
  it.each([3, 20])('arrive at most %i in any sliding second', async (requestsPerSecond) => {
    const service = await startStubService((_request, response) => {
      answerFields(response, { AccountQuotaOverview: { AccountQuota: {} } });
    });
    const polls = requestsPerSecond * 3 + 1;
    const run = async () => {
      const client = observedClient(service.url, { requestsPerSecond });
      const before = service.requests.length;
      await Promise.all(
        Array.from({ length: polls }, () => client.poll(quotaTarget(), unbounded())),
      );
      await client.close();
      return service.requests.slice(before).map((request) => request.arrivedAtMs);
    };

    const arrivals = await unstalled(run, (each) => mostInASecond(each) <= requestsPerSecond);

    expect(arrivals).toHaveLength(polls);
    expect(mostInASecond(arrivals)).toBe(requestsPerSecond);
    await service.close();
  });
});
