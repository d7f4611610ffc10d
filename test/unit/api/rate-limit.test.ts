import { getEventListeners, setMaxListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RateLimit, RateLimits, type RateFeedback } from '../../../src/api/rate-limit.ts';
import { mostInASecond } from '../../support/most-in-a-second.ts';
import { Random } from '../../support/random.ts';
import { rowsOf } from '../../support/rows.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const { signal } = new AbortController();
setMaxListeners(0, signal);
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Sent {
  readonly number: number;
  readonly atMs: number;
}

/** Sends requests, each when its connection is ready, and says when each was written. */
async function send(limit: RateLimit, requests: number, connectMs: (number: number) => number) {
  const sent: Sent[] = [];
  const all = Array.from({ length: requests }, async (_, number) => {
    const permit = await limit.acquire(signal);
    await wait(connectMs(number));
    permit.written();
    sent.push({ number, atMs: performance.now() });
    await wait(30);
    permit.ended('answered');
  });
  await vi.runAllTimersAsync();
  await Promise.all(all);
  return sent;
}

const random = new Random(1);
it.each<[string, number, (number: number) => number]>([
  ['connections that are ready', 10, () => 0],
  ['connections that take 0 to 500 ms', 10, () => random.integer(0, 500)],
  ['one slow connection among ready ones', 20, (number) => (number === 3 ? 500 : 0)],
  ['connections that are ready from the second request on', 20, (n) => (n < 20 ? 500 : 0)],
  ['one request a second', 1, () => 0],
])('a rate limit is never exceeded in any second, with %s', async (_what, rate, connectMs) => {
  const sent = await send(new RateLimit(rate), rate * 10, connectMs);

  const times = sent.map(({ atMs }) => atMs);
  expect(times).toHaveLength(rate * 10);
  expect(mostInASecond(times)).toBe(rate);
  // 1,050 ms for each ten, and the slowest connections of each.
  expect(Math.max(...times)).toBeLessThan(10 * 1_550);
});

it('a rate limit gives permits in the order of the calls, whatever connections take', async () => {
  const limit = new RateLimit(2);
  const order: number[] = [];

  const all = [0, 1, 2, 3, 4].map(async (number) => {
    const permit = await limit.acquire(signal);
    order.push(number);
    await wait(number === 0 ? 400 : 0);
    permit.written();
  });
  await vi.runAllTimersAsync();
  await Promise.all(all);

  expect(order).toEqual([0, 1, 2, 3, 4]);
});

it('a rate limit gives the permit of a request that was not written to the next one at once', async () => {
  const limit = new RateLimit(1);
  const first = await limit.acquire(signal);
  const second = limit.acquire(signal);

  first.ended('unknown');

  await expect(second).resolves.toBeDefined();
  expect(performance.now()).toBe(0);
});

it('a rate limit keeps the slot of a request that was written and failed', async () => {
  const limit = new RateLimit(1);
  const first = await limit.acquire(signal);
  first.written();
  first.ended('unknown');

  const second = limit.acquire(signal).then(() => performance.now());
  await vi.runAllTimersAsync();

  expect(await second).toBe(1_050);
});

it('a rate limit lets an aborted request leave the queue with the reason of its signal', async () => {
  const limit = new RateLimit(1);
  await limit.acquire(signal);
  const abort = new AbortController();
  const waiting = limit.acquire(abort.signal);
  const reason = new Error('stopped');

  abort.abort(reason);

  await expect(waiting).rejects.toBe(reason);
  expect(limit.isIdle()).toBe(false);
});

it('a rate limit sets a timer only if a request waits and another one was written', async () => {
  const limit = new RateLimit(1);
  const own = new AbortController();
  const first = await limit.acquire(own.signal);
  expect(getEventListeners(own.signal, 'abort')).toEqual([]);

  const second = limit.acquire(signal);
  expect(vi.getTimerCount()).toBe(0);

  first.written();
  expect(vi.getTimerCount()).toBe(1);
  await vi.runAllTimersAsync();
  (await second).written();
  expect(vi.getTimerCount()).toBe(0);
});

it('a rate limit counts requests of the last second for a rate that a reload raises', async () => {
  const limit = new RateLimit(1);
  const first = await limit.acquire(signal);
  first.written();
  const waiting = [limit.acquire(signal), limit.acquire(signal)];

  limit.configure(2);

  expect(await Promise.race([waiting[1], waiting[0]!.then(() => 'second')])).toBe('second');
});

/** By the time at which each comes. */
type Answers = Readonly<Record<number, RateFeedback>>;
const after = async (limit: RateLimit, answers: Answers) => {
  for (const [atMs, answer] of Object.entries(answers)) {
    vi.advanceTimersByTime(Number(atMs) - performance.now());
    (await limit.acquire(signal)).ended(answer);
  }
  return limit.requestsPerSecond;
};

it.each(rowsOf<[string, Answers, number]>('api', 'present-rates'))(
  'the present rate %s',
  async (_what, answers, rate) => {
    expect(await after(new RateLimit(20), answers)).toBe(rate);
  },
);

it('the present rate finds that of a service that allows half of the configured one', async () => {
  const limit = new RateLimit(20);
  const allowed = 10;
  const arrivedAtMs: number[] = [];
  const rates: number[] = [];
  let refusals = 0;

  const all = Array.from({ length: 600 }, async () => {
    const permit = await limit.acquire(signal);
    permit.written();
    const second = Math.floor(performance.now() / 1_000);
    arrivedAtMs.push(performance.now());
    const inSecond = arrivedAtMs.filter((atMs) => Math.floor(atMs / 1_000) === second).length;
    await wait(30);
    if (inSecond > allowed) refusals += 1;
    permit.ended(inSecond > allowed ? 'throttled' : 'answered');
    rates.push(limit.requestsPerSecond);
  });
  await vi.runAllTimersAsync();
  await Promise.all(all);

  // The first 20 leave before the first refusal.
  expect(refusals).toBeLessThan(10 + 0.1 * 600);
  expect(Math.max(...rates.slice(20))).toBeLessThanOrEqual(allowed + 2);
});

it('the present rate stays lower when a reload raises the configured one', async () => {
  const limit = new RateLimit(10);
  await after(limit, { 0: 'throttled' });

  limit.configure(20);

  expect(limit.requestsPerSecond).toBe(5);
});

it('the limits of a process are one for each identity, operation and gateway', () => {
  const limits = new RateLimits(10);

  const one = limits.of('a key', 'Ask', 'cvm.ap-x.example');

  expect(limits.of('a key', 'Ask', 'cvm.ap-x.example')).toBe(one);
  expect(limits.of('another key', 'Ask', 'cvm.ap-x.example')).not.toBe(one);
  expect(limits.of('a key', 'Other', 'cvm.ap-x.example')).not.toBe(one);
  expect(limits.of('a key', 'Ask', 'cvm.ap-y.example')).not.toBe(one);
});

it('the limits of a process report the lowest rate of the gateways of an operation', async () => {
  const limits = new RateLimits(10);
  limits.of('a key', 'Ask', 'healthy');
  (await limits.of('a key', 'Ask', 'throttled').acquire(signal)).ended('throttled');
  limits.of('a key', 'Ask', 'healthy too');
  limits.of('a key', 'Other', 'healthy');

  const rates = new Map(Object.entries({ Ask: 5, Other: 10 }));
  expect(limits.rates()).toEqual(new Map([['a key', rates]]));
});

it('the limits of a process forget an identity that is gone when none of its requests counts any more', async () => {
  const limits = new RateLimits(10);
  limits.of('idle', 'Ask', 'host');
  const permit = await limits.of('busy', 'Ask', 'host').acquire(signal);

  limits.configure(new Set(), 5);
  const busy = limits.rates();
  permit.ended('answered');
  limits.configure(new Set(), 5);

  expect(busy).toEqual(new Map([['busy', new Map([['Ask', 5]])]]));
  expect(limits.rates()).toEqual(new Map());
});
