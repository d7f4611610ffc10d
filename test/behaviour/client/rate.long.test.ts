/** The rate of the client as its service counts it: by arrival, over real connections. */
import { expect, it } from 'vitest';
import { Transport } from '../../../src/api/transport.ts';
import { answerQuota, observedClient, unbounded } from '../../support/api-client.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { quotaTarget } from '../../support/fake-monitor.ts';
import { mostInASecond } from '../../support/most-in-a-second.ts';
import { Random } from '../../support/random.ts';
import { startStubService } from '../../support/stub-service.ts';

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

const rate = 20;
const random = new Random(1);

it.each([
  ['each arrives after 0 to 50 ms', 50, 0],
  ['connections take 0 to 500 ms', 0, 500],
])(
  'requests at the full rate are never too many in a second, where %s',
  { timeout: 300_000 },
  async (_, arrivalMs, connectMs) => {
    const isProxied = connectMs > 0;
    const proxy = await startConnectProxy({ delayMs: () => random.integer(0, connectMs) });
    for (;;) {
      const arrivedAtMs: number[] = [];
      const service = await startStubService((_request, response) => {
        setTimeout(
          () => {
            arrivedAtMs.push(Date.now());
            if (isProxied) response.setHeader('Connection', 'close');
            answerQuota(response);
          },
          random.integer(0, arrivalMs),
        );
      });
      const transport = new TimedTransport({});
      if (isProxied) transport.configure({ proxy: proxy.url, authorities: [] });
      const client = observedClient(service.url, { requestsPerSecond: rate, transport });
      const polls = Array.from({ length: 4 * rate }, () => client.poll(quotaTarget(), unbounded()));
      await Promise.all(polls);
      await client.close();

      expect(arrivedAtMs).toHaveLength(4 * rate);
      expect(proxy.requests.length).toBeGreaterThanOrEqual(isProxied ? 4 * rate : 0);
      // Client and service share a busy machine. The rate limit expects that two requests differ by at most 50 ms on
      // their way: a run with a longer way says nothing if its rate is wrong.
      const arrived = arrivedAtMs.toSorted((a, b) => a - b);
      const ways = transport.leftAtMs.map((at, i) => (arrived[i] ?? Infinity) - at);
      if (mostInASecond(arrivedAtMs) > rate && Math.max(...ways) > 49) continue;
      expect(mostInASecond(arrivedAtMs)).toBeLessThanOrEqual(rate);
      return;
    }
  },
);
