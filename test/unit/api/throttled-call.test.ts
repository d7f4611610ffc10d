/** What the client does with a request that the service throttles, beside other requests. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { quotaTarget, unbounded } from '../../helpers/api-client.ts';
import { answerError, type StubRequest } from '../../helpers/stub-service.ts';
import { answerQuota, stubbedClient } from '../../helpers/stubbed-client.ts';

const throttled = 'RequestLimitExceeded';

/** A client whose requests fail with these codes, one after the other. Then they succeed. */
async function failingWith(
  codes: readonly string[],
  { onRequest = () => undefined, ...options }: Options = {},
) {
  return stubbedClient(
    (request, response) => {
      onRequest(request);
      const code = codes[request.index];
      if (code === undefined) answerQuota(response);
      else answerError(response, code);
    },
    { requestsPerSecond: 20, ...options },
  );
}
interface Options {
  readonly onRequest?: (request: StubRequest) => void;
  readonly requestsPerSecond?: number;
  readonly maxAttempts?: number;
}

describe('a request that is tried again', () => {
  it.each([
    ['goes first after the service throttled it', throttled, ['a', 'a', 'b', 'c']],
    ['waits behind the others after a failure', 'InternalError', ['a', 'b', 'c', 'a']],
  ])('%s', async (_what, code, expected) => {
    const { service, client } = await failingWith([code], { requestsPerSecond: 1 });

    await Promise.all(
      ['a', 'b', 'c'].map((region) => client.poll(quotaTarget({}, region), unbounded())),
    );

    expect(service.requests.map(({ query }) => query.Region)).toEqual(expected);
  });

  it('has as many attempts after it was throttled as before', async () => {
    const { service, client } = await failingWith([throttled, 'InternalError'], { maxAttempts: 2 });

    await client.poll(quotaTarget(), unbounded());

    expect(service.requests).toHaveLength(3);
  });
});

describe('the minute in which a throttled request is tried again', () => {
  /** Lets 59.5 s pass with the answers to the requests that are due for it. */
  function leapAt(...indices: readonly number[]) {
    const real = performance.now.bind(performance);
    let leapMs = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => real() + leapMs);
    onTestFinished(() => {
      now.mockRestore();
    });
    return ({ index }: StubRequest) => {
      if (indices.includes(index)) leapMs += 59_500;
    };
  }

  it('begins when it was throttled first', async () => {
    const codes = [throttled, throttled, throttled];
    const { service, client } = await failingWith(codes, { onRequest: leapAt(1) });

    await expect(client.poll(quotaTarget(), unbounded())).rejects.toMatchObject({
      code: throttled,
    });

    expect(service.requests).toHaveLength(2);
  });

  it('does not begin with another failure', async () => {
    const codes = ['InternalError', throttled];
    const { service, client } = await failingWith(codes, { onRequest: leapAt(1) });

    await client.poll(quotaTarget(), unbounded());

    expect(service.requests).toHaveLength(3);
  });
});
