/** The rate of the client as its service counts it: by arrival, over real connections. */
import { expect, it } from 'vitest';
import { Transport } from '../../../src/api/transport.ts';
import { answerQuota, observedClient, quotaTarget, unbounded } from '../../support/api-client.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { mostInASecond } from '../../support/most-in-a-second.ts';
import { Random } from '../../support/random.ts';
import { startStubService } from '../../support/stub-service.ts';

/** The rate limit expects that two requests differ by at most 50 ms on their way. */
const longestWayMs = 49;

/** Notes when each request leaves. */
class TimedTransport extends Transport {
  readonly leftAtMs: number[] = [];

  override send(...[origin, request, options]: Parameters<Transport['send']>) {
    const onWrite = () => {
      this.leftAtMs.push(Date.now());
      options.onWrite?.();
    };
    return super.send(origin, request, { ...options, onWrite });
  }
}

/**
 * Runs a client and a service that share a busy machine. Runs them again if the result is wrong and requests were
 * longer on their way than the rate limit expects of a network: such a run says nothing.
 */
async function punctual<T extends { readonly arrivedAtMs: readonly number[] }>(
  run: (transport: Transport) => Promise<T>,
  isRight: (result: T) => boolean,
): Promise<T> {
  for (;;) {
    const transport = new TimedTransport({});
    const result = await run(transport);
    if (isRight(result) || longestWay(transport.leftAtMs, result.arrivedAtMs) <= longestWayMs) {
      return result;
    }
  }
}

function longestWay(leftAtMs: readonly number[], arrivedAtMs: readonly number[]): number {
  const arrived = arrivedAtMs.toSorted((a, b) => a - b);
  return Math.max(...leftAtMs.map((at, i) => (arrived[i] ?? Infinity) - at));
}

const rate = 20;
const random = new Random(1);

/** Sends requests at the full rate, and says when they arrive. */
async function arrivals(
  transport: Transport,
  latencyMs: () => number,
  keepsConnections: boolean,
): Promise<{ readonly arrivedAtMs: readonly number[] }> {
  const arrivedAtMs: number[] = [];
  const service = await startStubService((_request, response) => {
    setTimeout(() => {
      arrivedAtMs.push(Date.now());
      if (!keepsConnections) response.setHeader('Connection', 'close');
      answerQuota(response);
    }, latencyMs());
  });
  const client = observedClient(service.url, { requestsPerSecond: rate, transport });
  const polls = Array.from({ length: 4 * rate }, () => client.poll(quotaTarget(), unbounded()));
  await Promise.all(polls);
  await client.close();
  return { arrivedAtMs };
}

type Arrivals = Awaited<ReturnType<typeof arrivals>>;
const isInTime = ({ arrivedAtMs }: Arrivals) => mostInASecond(arrivedAtMs) <= rate;

it(
  'requests at the full rate are never too many in a second, where each arrives after 0 to 50 ms',
  { timeout: 300_000 },
  async () => {
    const latencyMs = () => random.integer(0, 50);
    const run = (transport: Transport) => arrivals(transport, latencyMs, true);

    const { arrivedAtMs } = await punctual(run, isInTime);

    expect(arrivedAtMs).toHaveLength(4 * rate);
    expect(mostInASecond(arrivedAtMs)).toBeLessThanOrEqual(rate);
  },
);

it(
  'requests at the full rate are never too many in a second, where connections take 0 to 500 ms',
  { timeout: 300_000 },
  async () => {
    const proxy = await startConnectProxy({ delayMs: () => random.integer(0, 500) });
    const run = (transport: Transport) => {
      transport.configure({ proxy: proxy.url, authorities: [] });
      return arrivals(transport, () => 0, false);
    };

    const { arrivedAtMs } = await punctual(run, isInTime);

    expect(proxy.requests.length).toBeGreaterThanOrEqual(4 * rate);
    expect(mostInASecond(arrivedAtMs)).toBeLessThanOrEqual(rate);
  },
);
