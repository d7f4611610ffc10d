/** What the client does when an attempt fails, is throttled or is aborted. */
import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { noCredentials } from '../../../src/credentials/provider.ts';
import {
  answerQuota,
  fixedCredentials,
  observedClient,
  recognisable,
  stubbedClient,
  unbounded,
} from '../../support/api-client.ts';
import { startDeadHost } from '../../support/dead-host.ts';
import { quotaTarget } from '../../support/fake-monitor.ts';
import { type StubRequest, answerError } from '../../support/stub-service.ts';

const refusing = (code: string) => (_request: StubRequest, response: ServerResponse) => {
  answerError(response, code);
};
const answering = (_request: StubRequest, response: ServerResponse) => {
  answerQuota(response);
};

const code = 'AuthFailure.TokenFailure';

it('a failed attempt is tried once more with rotated credentials when those were refused', async () => {
  const credentials = fixedCredentials();
  credentials.rotateTo({ secretId: 'AKIDrotated', secretKey: 'rotated', token: null });
  const { service, client } = await stubbedClient(refusing(code), { credentials });

  await expect(client.poll(quotaTarget(), unbounded())).rejects.toMatchObject({ code });

  expect(service.requests.map(({ query }) => query.SecretId)).toEqual([
    recognisable.secretId,
    'AKIDrotated',
  ]);
  expect(client.retried).toHaveLength(1);
});

it('a failed attempt that is the only one renews refused credentials for the next request', async () => {
  const credentials = fixedCredentials();
  credentials.rotateTo({ secretId: 'AKIDrotated', secretKey: 'rotated', token: null });
  const { service, client } = await stubbedClient(
    ({ index }, response) => {
      if (index === 0) answerError(response, code);
      else answerQuota(response);
    },
    { credentials, maxAttempts: 1 },
  );

  await expect(client.poll(quotaTarget(), unbounded())).rejects.toMatchObject({ code });
  await client.poll(quotaTarget(), unbounded());

  expect(service.requests.map(({ query }) => query.SecretId)).toEqual([
    recognisable.secretId,
    'AKIDrotated',
  ]);
});

it('a failed attempt is not tried again with the same credentials that were refused', async () => {
  const credentials = fixedCredentials();
  const { service, client } = await stubbedClient(refusing(code), { credentials });

  await expect(client.poll(quotaTarget(), unbounded())).rejects.toMatchObject({ code });

  expect(service.requests).toHaveLength(1);
  expect(credentials.refusals()).toBe(1);
  expect(client.retried).toEqual([]);
});

it('a failed attempt comes to its end beside others of a host that does not answer', async () => {
  const host = await startDeadHost('127.0.0.9', 0);
  onTestFinished(host.close);
  const options = { requestsPerSecond: 1, maxAttempts: 1, timeoutMs: 300 };
  const client = observedClient(`http://127.0.0.9:${host.port}`, options);
  onTestFinished(client.close);

  const polls = [1, 2, 3].map(() => client.poll(quotaTarget(), unbounded()));
  const ends = await Promise.allSettled(polls);

  expect(ends).toMatchObject(ends.map(() => ({ reason: { code: 'Timeout' } })));
});

it('a failed attempt is the last one when the rate limit holds the next until after the deadline', async () => {
  const { service, client } = await stubbedClient(refusing('InternalError'), {
    requestsPerSecond: 1,
  });

  const poll = client.poll(quotaTarget(), { ...unbounded(), deadlineMs: Date.now() + 900 });

  await expect(poll).rejects.toMatchObject({ code: 'InternalError' });
  expect(service.requests).toHaveLength(1);
  expect(client.retried).toHaveLength(1);
});

it('a failed attempt waits for its permit, behind the requests that wait', async () => {
  const { service, client } = await stubbedClient(
    ({ index, query }, response) => {
      if (index === 0) answerError(response, 'InternalError');
      else answerQuota(response, query.Region);
    },
    { requestsPerSecond: 1, random: () => 0 },
  );

  const polls = ['ap-failed', 'ap-b'].map((region) =>
    client.poll(quotaTarget('production', region), unbounded()),
  );
  await Promise.all(polls);

  const order = service.requests.map(({ query }) => query.Region);
  expect(order).toEqual(['ap-failed', 'ap-b', 'ap-failed']);
  const [failed, behind] = client.finished;
  expect(behind!.waitMs).toBeGreaterThan(failed!.waitMs);
});

it('a failed attempt leaves the rate limit alone when there are no credentials', async () => {
  const { service, client } = await stubbedClient(answering, {
    requestsPerSecond: 1,
    credentials: { ...noCredentials, get: () => Promise.reject(new Error('none')) },
  });

  const polls = [1, 2, 3].map(() => client.poll(quotaTarget(), unbounded()));

  await expect(Promise.allSettled(polls)).resolves.toHaveLength(3);
  expect(client.rateLimits.rates()).toEqual(new Map());
  expect(service.requests).toEqual([]);
});

it('a throttled request waits a second, and goes to the back: no other request pauses', async () => {
  const { service, client } = await stubbedClient(
    ({ index, query }, response) => {
      if (index === 0) answerError(response, 'RequestLimitExceeded.UinLimitExceeded');
      else answerQuota(response, query.Region);
    },
    { requestsPerSecond: 4 },
  );
  const throttled = client.poll(quotaTarget('production', 'ap-throttled'), unbounded());
  await expect.poll(() => client.finished.length).toBe(1);

  const others = ['ap-b', 'ap-c'].map((region) =>
    client.poll(quotaTarget('production', region), unbounded()),
  );
  await Promise.all([throttled, ...others]);

  const order = service.requests.map(({ query }) => query.Region);
  expect(order).toEqual(['ap-throttled', 'ap-b', 'ap-c', 'ap-throttled']);
  const [first, second, , again] = service.requests;
  expect(second!.arrivedAtMs - first!.arrivedAtMs).toBeLessThan(1_000);
  expect(again!.arrivedAtMs - first!.arrivedAtMs).toBeGreaterThanOrEqual(1_000);
});

it('a throttled request lowers the rate of its own gateway, and of no other one', async () => {
  const { service, client } = await stubbedClient(({ headers, query }, response) => {
    if (headers.host?.startsWith('localhost')) answerError(response, 'RequestLimitExceeded');
    else answerQuota(response, query.Region);
  });
  const { port } = new URL(service.url);
  client.configure({ endpoint: `http://{region}:${port}`, maxAttempts: 1 });
  const deadlineMs = Date.now();

  const throttled = client.poll(quotaTarget('production', 'localhost'), {
    ...unbounded(),
    deadlineMs,
  });
  await expect(throttled).rejects.toMatchObject({ code: 'RequestLimitExceeded' });
  await client.poll(quotaTarget('production', '127.0.0.1'), unbounded());

  const { rateLimits } = client;
  const rate = (host: string) =>
    rateLimits.of('production', 'DescribeAccountQuota', `${host}:${port}`).requestsPerSecond;
  expect([rate('localhost'), rate('127.0.0.1')]).toEqual([10, 20]);
});

const reason = new Error('the daemon stops');

it.each<[string, (request: StubRequest, response: ServerResponse) => void]>([
  ['waits for an answer', () => undefined],
  [
    'reads a body',
    (_request, response) => {
      response.write('{');
    },
  ],
  ['waits before a retry', refusing('InternalError')],
])(
  'an aborted poll ends at once with the reason of the signal while it %s',
  async (_what, answer) => {
    const abort = new AbortController();
    const { service, client } = await stubbedClient(answer, { random: () => 1 - Number.EPSILON });
    const poll = client.poll(quotaTarget(), { ...unbounded(), signal: abort.signal });
    poll.catch(() => undefined);
    await expect.poll(() => service.requests.length).toBe(1);

    abort.abort(reason);

    await expect(poll).rejects.toBe(reason);
    expect(service.requests).toHaveLength(1);
  },
);

it('an aborted poll ends at once, also with a reason that is no error, while it queues for the rate limit', async () => {
  const abort = new AbortController();
  const { service, client } = await stubbedClient(answering, { requestsPerSecond: 1 });
  await client.poll(quotaTarget(), unbounded());

  const queued = client.poll(quotaTarget(), { ...unbounded(), signal: abort.signal });
  abort.abort('any reason');

  await expect(queued).rejects.toThrow('aborted');
  expect(service.requests).toHaveLength(1);
});

const other = { secretId: 'another-id', secretKey: 'another-key', token: null };

it('settings that a reload changes count for the next attempt: endpoint, key and signature', async () => {
  const second = await stubbedClient(answering);
  const { service, client } = await stubbedClient(
    (_request, response) => {
      client.configure({
        endpoint: second.service.url,
        credentials: fixedCredentials(other),
        signature: 'tc3',
      });
      answerError(response, 'InternalError');
    },
    { credentials: fixedCredentials() },
  );

  await client.poll(quotaTarget(), unbounded());

  expect(service.requests.map(({ query }) => query.SecretId)).toEqual([recognisable.secretId]);
  expect(second.service.requests.map(({ headers }) => headers.authorization)).toEqual([
    expect.stringContaining('Credential=another-id/'),
  ]);
});

it('settings that a reload changes count for the next attempt: the time limit', async () => {
  const { client } = await stubbedClient(
    ({ index }, response) => {
      if (index > 0) return;
      client.configure({ timeoutMs: 50, maxAttempts: 2 });
      answerError(response, 'InternalError');
    },
    { timeoutMs: 60_000 },
  );

  await expect(client.poll(quotaTarget(), unbounded())).rejects.toMatchObject({
    code: 'Timeout',
    message: 'no complete answer within 50 ms',
  });
});

it('settings that a reload changes count for requests that wait: the rate', async () => {
  const { service, client } = await stubbedClient(answering, { requestsPerSecond: 1 });
  const polls = [1, 2, 3, 4].map(() => client.poll(quotaTarget(), unbounded()));
  await expect.poll(() => service.requests.length).toBe(1);

  client.configure({ requestsPerSecond: 20 });
  await Promise.all(polls);

  // With the rate before, it would be 3 s.
  const [first, , , last] = service.requests;
  expect(last!.arrivedAtMs - first!.arrivedAtMs).toBeLessThan(2_900);
});

it('a request is not sent when the caller refuses right before it is written', async () => {
  const { service, client } = await stubbedClient(answering);
  const reason = new Error('the lease has ended');
  const beforeSend = () => {
    throw reason;
  };

  await expect(client.poll(quotaTarget(), { ...unbounded(), beforeSend })).rejects.toBe(reason);
  await client.poll(quotaTarget(), unbounded());

  expect(service.requests).toHaveLength(1);
});
