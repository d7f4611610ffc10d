/** The rate of the client as its service counts it: by arrival, over real connections. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import { Transport } from '../../../src/api/transport.ts';
import {
  observedClient,
  quotaTarget,
  unbounded,
  type ClientOptions,
} from '../../support/api-client.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { mostInASecond } from '../../support/most-in-a-second.ts';
import { Random } from '../../support/random.ts';
import { startStubService } from '../../support/stub-service.ts';
import { answerQuota } from '../../support/stubbed-client.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The rate limit expects that two requests differ by at most 50 ms on their way. */
const longestStallMs = 40;

/**
 * Runs a client and a service that share this process. Runs them again if the result is wrong and the process
 * stood still for longer than the rate limit expects of a network: such a run says nothing.
 */
async function unstalled<T>(run: () => Promise<T>, isRight: (result: T) => boolean): Promise<T> {
  const loop = monitorEventLoopDelay({ resolution: 10 });
  for (;;) {
    loop.reset();
    loop.enable();
    const result = await run();
    loop.disable();
    if (isRight(result) || loop.max / 1e6 <= longestStallMs) return result;
  }
}

const rate = 20;
const random = new Random(1);

/** Sends requests at the full rate, and says when they arrive. */
async function arrivals(
  latencyMs: () => number,
  options: Partial<ClientOptions> = {},
): Promise<number[]> {
  const arrivedAtMs: number[] = [];
  const service = await startStubService((_request, response) => {
    setTimeout(() => {
      arrivedAtMs.push(performance.now());
      // No connection is used again, so that each one is delayed by a slow proxy.
      if (options.transport !== undefined) response.setHeader('Connection', 'close');
      answerQuota(response);
    }, latencyMs());
  });
  const client = observedClient(service.url, { requestsPerSecond: rate, ...options });
  const polls = Array.from({ length: 4 * rate }, () => client.poll(quotaTarget(), unbounded()));
  await Promise.all(polls);
  await Promise.all([client.close(), service.close()]);
  return arrivedAtMs;
}

const isInTime = (arrivedAtMs: readonly number[]) => mostInASecond(arrivedAtMs) <= rate;

describe('requests at the rate of the service', { timeout: 300_000 }, () => {
  it.each([
    ['at once', () => 0],
    ['after 0 to 50 ms', () => random.integer(0, 50)],
  ])('are never too many in a second, where each arrives %s', async (_what, latencyMs) => {
    const arrivedAtMs = await unstalled(() => arrivals(latencyMs), isInTime);

    expect(arrivedAtMs).toHaveLength(4 * rate);
    expect(mostInASecond(arrivedAtMs)).toBeLessThanOrEqual(rate);
  });

  it('are never too many in a second, where connections take 0 to 500 ms', async () => {
    const proxy = await startConnectProxy({ delayMs: () => random.integer(0, 500) });
    const run = () => {
      const transport = new Transport({});
      transport.configure({ proxy: proxy.url, authorities: [] });
      return arrivals(() => 0, { transport });
    };

    const arrivedAtMs = await unstalled(run, isInTime);

    expect(proxy.requests.length).toBeGreaterThanOrEqual(4 * rate);
    expect(mostInASecond(arrivedAtMs)).toBeLessThanOrEqual(rate);
  });

  it('are never refused by the emulator', async () => {
    const regions = Array.from({ length: 8 }, (_, i) => ({
      name: `ap-region${String.fromCharCode(97 + i)}`,
      image: { used: 1, limit: 10 },
    }));
    const emulator = await startEmulator({ scenario: { accounts: [{ name: 'a', regions }] } });
    onTestFinished(emulator.close);
    const codes = async () => {
      const client = observedClient(emulator.url, { requestsPerSecond: rate });
      await Promise.all(
        Array.from({ length: 4 * rate }, (_, i) =>
          client.poll(quotaTarget({ quotaTypes: ['image'] }, regions[i % 8]!.name), unbounded()),
        ),
      );
      await client.close();
      return client.finished.map(({ code }) => code);
    };
    const refusals = (of: readonly (string | null)[]) => of.filter((code) => code !== null);

    const all = await unstalled(codes, (of) => refusals(of).length === 0);

    expect(refusals(all)).toEqual([]);
    expect(all).toHaveLength(4 * rate);
  });
});
