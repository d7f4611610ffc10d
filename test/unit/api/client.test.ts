import type { QuotaSnapshot } from '../../../src/collectors/quota/record.ts';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../src/api/options.ts';
import { RateLimits } from '../../../src/api/rate-limits.ts';
import {
  fixedCredentials,
  observedClient,
  quotaTarget,
  templateTarget,
  unbounded,
  type ObservedClient,
} from '../../helpers/api-client.ts';
import { startDeadHost } from '../../helpers/dead-host.ts';
import { InProcessConnections } from '../../helpers/in-process-connections.ts';
import { quotaSample, versionsSample } from '../../helpers/official-samples.ts';
import {
  answerError,
  answerFields,
  startStubService,
  stubRequestId,
  type StubRequest,
  type StubService,
} from '../../helpers/stub-service.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function arrange(
  answer: (request: StubRequest, response: ServerResponse) => void,
  options: Partial<ClientOptions> = {},
): Promise<{ service: StubService; client: ObservedClient }> {
  const service = await startStubService(answer);
  const client = observedClient(service.url, options);
  closing.push(client.close, service.close);
  return { service, client };
}

const answerQuota = (response: ServerResponse) => {
  response.end(quotaSample);
};

describe('a poll of quotas', () => {
  it('reads the official sample', async () => {
    const { client } = await arrange((_request, response) => {
      answerQuota(response);
    });

    const { snapshot, anomalies } = await client.poll(quotaTarget(), unbounded());

    expect(anomalies).toEqual([]);
    expect(snapshot).toMatchObject({
      kind: 'quota',
      appId: 251007416,
      groupInstanceLimits: { host: 50, switch: 20, rack: 30 },
    });
    expect((snapshot as QuotaSnapshot).quotas).toHaveLength(8);
  });

  it('asks in the documented form, unsigned and uncompressed', async () => {
    const { service, client } = await arrange((_request, response) => {
      answerQuota(response);
    });

    await client.poll(quotaTarget(), unbounded());

    expect(service.requests[0]?.path).toBe(
      '/?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-guangzhou',
    );
    expect(service.requests[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it('puts a signature into the query string', async () => {
    const { service, client } = await arrange(
      (_request, response) => {
        answerQuota(response);
      },
      { credentials: fixedCredentials(), clock: { now: () => 1_700_000_000_999 } },
    );

    await client.poll(quotaTarget(), unbounded());

    expect(service.requests[0]?.query).toMatchObject({
      Action: 'DescribeAccountQuota',
      Nonce: '1',
      Region: 'ap-guangzhou',
      SecretId: 'AKIDexampleidthatisrecognised',
      SignatureMethod: 'HmacSHA256',
      Timestamp: '1700000000',
      Token: 'exampletoken/that+is=recognised',
      Version: '2017-03-12',
    });
    expect(service.requests[0]?.query.Signature).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });

  it('puts a tc3 signature into headers and only own parameters into the query string', async () => {
    const { service, client } = await arrange(
      (_request, response) => {
        answerQuota(response);
      },
      { credentials: fixedCredentials(), signature: 'tc3' },
    );

    await client.poll(quotaTarget({ quotaTypes: ['postpaid'] }), unbounded());

    expect(service.requests[0]?.path).toBe(
      '/?Filters.0.Name=quota-type&Filters.0.Values.0=PostPaidQuotaSet',
    );
    expect(service.requests[0]?.headers).toMatchObject({
      'x-tc-action': 'DescribeAccountQuota',
      'x-tc-region': 'ap-guangzhou',
      'x-tc-token': 'exampletoken/that+is=recognised',
    });
  });

  it('adds nothing that was not selected when the service ignores the filters', async () => {
    const { client } = await arrange((_request, response) => {
      answerQuota(response);
    });
    const target = quotaTarget({ quotaTypes: ['postpaid'], zones: ['ap-guangzhou-4'] });

    const { snapshot } = await client.poll(target, unbounded());

    expect(snapshot).toMatchObject({
      quotas: [{ type: 'postpaid', zone: 'ap-guangzhou-4', used: 2, remaining: 1248, limit: 1250 }],
      groupInstanceLimits: null,
    });
  });

  it('took until its answer was there, however long the reading of it had to wait', async () => {
    let nowMs = 0;
    const connections = new InProcessConnections(() => {
      nowMs += 40;
      setImmediate(() => {
        nowMs += 5_000;
      });
      return quotaSample;
    });
    const clock = { now: () => nowMs };
    const client = observedClient('http://in-process', { connections, clock });

    await client.poll(quotaTarget(), unbounded());

    expect(client.finished.map(({ durationMs }) => durationMs)).toEqual([40]);
    expect(nowMs).toBe(5_040);
  });

  it('puts the region into the endpoint', async () => {
    const { service } = await arrange((_request, response) => {
      answerQuota(response);
    });
    const client = observedClient('http://127.0.0.1:{region}');
    closing.push(client.close);
    const port = new URL(service.url).port;

    await client.poll(quotaTarget({}, port), unbounded());

    expect(service.requests[0]?.query.Region).toBe(port);
  });
});

describe('a poll of a launch template', () => {
  it('reads the official sample in one request that names the whole range', async () => {
    const { service, client } = await arrange((_request, response) => {
      response.end(versionsSample);
    });

    const answer = await client.poll(templateTarget, unbounded());

    expect(answer).toEqual({
      snapshot: {
        kind: 'launch-template',
        appId: null,
        unidentified: 0,
        missing: [],
        versions: [1],
        defaultVersion: {
          version: 1,
          imageId: 'img-8toqc6s3',
          instanceType: 'S5.16XLARGE256',
          chargeType: 'POSTPAID_BY_HOUR',
        },
      },
      anomalies: [],
    });
    expect(service.requests.map(({ query }) => query)).toEqual([
      {
        Action: 'DescribeLaunchTemplateVersions',
        Version: '2017-03-12',
        Region: 'ap-guangzhou',
        LaunchTemplateId: 'lt-b8v1kcyq',
        MinVersion: '0',
        MaxVersion: '2147483647',
        Offset: '0',
        Limit: '100',
      },
    ]);
  });

  it('pages through more than a hundred versions', async () => {
    const all = Array.from({ length: 250 }, (_, index) => ({
      LaunchTemplateVersion: index + 1,
      IsDefaultVersion: index === 249,
    }));
    const { service, client } = await arrange(({ query }, response) => {
      const offset = Number(query.Offset);
      const rows = all.slice(offset, offset + Number(query.Limit));
      answerFields(response, { TotalCount: all.length, LaunchTemplateVersionSet: rows });
    });

    const { snapshot } = await client.poll(templateTarget, unbounded());

    expect(snapshot).toMatchObject({
      versions: all.map((row) => row.LaunchTemplateVersion),
      defaultVersion: { version: 250 },
    });
    expect(service.requests.map(({ query }) => query.Offset)).toEqual(['0', '99', '198']);
  });
});

describe('a failed attempt', () => {
  const retryable = ['RequestLimitExceeded.UinLimitExceeded', 'InternalError', 'ResourceInUse'];

  it.each(retryable)('is tried again after %s', async (code) => {
    const { service, client } = await arrange(({ index }, response) => {
      if (index < 2) answerError(response, code);
      else answerQuota(response);
    });

    await client.poll(quotaTarget(), unbounded());

    expect(service.requests).toHaveLength(3);
    expect(client.retried.map((event) => event.code)).toEqual([code, code]);
    expect(client.finished.map((event) => event.code)).toEqual([code, code, null]);
  });

  it('is tried again after HTTP 502 with HTML and after a closed connection', async () => {
    const { client } = await arrange(({ index }, response) => {
      if (index === 0) response.writeHead(502).end('<html>Bad Gateway</html>');
      else if (index === 1) response.destroy();
      else answerQuota(response);
    });

    await client.poll(quotaTarget(), unbounded());

    expect(client.retried.map((event) => event.code)).toEqual(['HttpStatus', 'NetworkError']);
  });

  it.each(['UnauthorizedOperation', 'InvalidZone.MismatchRegion', 'LimitExceeded', 'Newly.Made'])(
    'is not tried again after %s',
    async (code) => {
      const { service, client } = await arrange((_request, response) => {
        answerError(response, code);
      });

      const poll = client.poll(quotaTarget(), unbounded());

      await expect(poll).rejects.toMatchObject({ code, requestId: stubRequestId });
      expect(service.requests).toHaveLength(1);
    },
  );

  it.each(['AuthFailure.TokenFailure', 'AuthFailure.SignatureExpire'])(
    'is tried once more, signed anew with fresh credentials, after %s',
    async (code) => {
      const credentials = fixedCredentials();
      const { service, client } = await arrange(
        (_request, response) => {
          answerError(response, code);
        },
        { credentials },
      );

      const poll = client.poll(quotaTarget(), unbounded());

      await expect(poll).rejects.toMatchObject({ code });
      expect(service.requests).toHaveLength(2);
      expect(credentials.refreshes()).toBe(1);
    },
  );

  it.each(['', '<html>Please sign in</html>', quotaSample.slice(0, 200)])(
    'is tried again after an answer that is no JSON, and fails as InvalidResponse: %j',
    async (body) => {
      const { service, client } = await arrange((_request, response) => {
        response.end(body);
      });

      await expect(client.poll(quotaTarget(), unbounded())).rejects.toMatchObject({
        code: 'InvalidResponse',
      });
      expect(service.requests).toHaveLength(4);
      expect(client.retried.map(({ code }) => code)).toEqual(Array(3).fill('InvalidResponse'));
    },
  );

  it('is the last one when the attempts are used up', async () => {
    const { service, client } = await arrange(
      (_request, response) => {
        answerError(response, 'InternalError');
      },
      { maxAttempts: 3 },
    );

    const poll = client.poll(quotaTarget(), unbounded());

    await expect(poll).rejects.toMatchObject({ code: 'InternalError' });
    expect(service.requests).toHaveLength(3);
  });

  it('comes to its end beside others of a host that does not answer', async () => {
    const host = await startDeadHost('127.0.0.9', 0);
    closing.push(host.close);
    const options = { requestsPerSecond: 1, maxAttempts: 1, timeoutMs: 300 };
    const client = observedClient(`http://127.0.0.9:${host.port}`, options);
    closing.push(client.close);

    const polls = [1, 2, 3].map(() => client.poll(quotaTarget(), unbounded()));
    const ends = await Promise.allSettled(polls);

    expect(ends).toMatchObject(ends.map(() => ({ reason: { code: 'Timeout' } })));
  });

  it('is the last one when the next would start after the deadline', async () => {
    const now = Date.now();
    const { service, client } = await arrange(
      (_request, response) => {
        answerError(response, 'InternalError');
      },
      { clock: { now: () => now }, random: () => 0.5 },
    );

    const poll = client.poll(quotaTarget(), { ...unbounded(), deadlineMs: now + 100 });

    await expect(poll).rejects.toMatchObject({ code: 'InternalError' });
    expect(service.requests).toHaveLength(1);
  });

  it('is the last one when the rate limit holds the next until after the deadline', async () => {
    const { service, client } = await arrange(
      (_request, response) => {
        answerError(response, 'InternalError');
      },
      { requestsPerSecond: 1 },
    );

    const poll = client.poll(quotaTarget(), { ...unbounded(), deadlineMs: Date.now() + 500 });

    await expect(poll).rejects.toMatchObject({ code: 'InternalError' });
    expect(service.requests).toHaveLength(1);
  });

  it('takes a token of the rate limit', async () => {
    const { service, client } = await arrange(
      ({ index }, response) => {
        if (index === 0) answerError(response, 'InternalError');
        else answerQuota(response);
      },
      { requestsPerSecond: 1 },
    );

    await client.poll(quotaTarget(), unbounded());

    const [first, second] = service.requests;
    expect(second!.arrivedAtMs - first!.arrivedAtMs).toBeGreaterThanOrEqual(1000);
    expect(client.waited.reduce((sum, { waitMs }) => sum + waitMs, 0)).toBeGreaterThan(900);
  });

  it('leaves the rate limit alone when there are no credentials', async () => {
    const { service, client } = await arrange(
      (_request, response) => {
        answerQuota(response);
      },
      {
        requestsPerSecond: 1,
        credentials: { get: () => Promise.reject(new Error('none')), refresh: () => undefined },
      },
    );

    const polls = [1, 2, 3].map(() => client.poll(quotaTarget(), unbounded()));

    await expect(Promise.allSettled(polls)).resolves.toHaveLength(3);
    expect(client.waited.reduce((sum, { waitMs }) => sum + waitMs, 0)).toBeLessThan(500);
    expect(service.requests).toEqual([]);
  });
});

describe('a throttled account', () => {
  const startsAfterMs = async (code: string) => {
    const { service, client } = await arrange(({ index }, response) => {
      if (index === 0) answerError(response, code);
      else answerQuota(response);
    });
    const throttled = client.poll(quotaTarget(), unbounded());
    await expect.poll(() => client.finished.length).toBe(1);
    const other = client.poll(templateTarget, unbounded()).catch(() => undefined);
    await Promise.all([throttled, other]);
    const [first, ...later] = service.requests;
    return later.map(
      ({ query, arrivedAtMs }) => [query.Action, arrivedAtMs - first!.arrivedAtMs] as const,
    );
  };

  it('waits a second before it asks again', async () => {
    const later = await startsAfterMs('RequestLimitExceeded');

    const quotas = later.filter(([action]) => action === 'DescribeAccountQuota');
    expect(quotas).toHaveLength(1);
    expect(quotas[0]![1]).toBeGreaterThanOrEqual(1_000);
  });

  it('goes on with other operations, unless the limit counts them all', async () => {
    const own = await startsAfterMs('RequestLimitExceeded');
    const all = await startsAfterMs('RequestLimitExceeded.UinLimitExceeded');

    const ofTemplates = (later: typeof own) =>
      later.find(([action]) => action === 'DescribeLaunchTemplateVersions')?.[1];
    expect(ofTemplates(own)).toBeLessThan(900);
    expect(ofTemplates(all)).toBeGreaterThanOrEqual(1_000);
  });
});

describe('the name of the program', () => {
  const ask = async (options: Partial<ClientOptions>) => {
    const { service, client } = await arrange((_request, response) => {
      answerQuota(response);
    }, options);
    await client.poll(quotaTarget(), unbounded());
    return service.requests[0]!;
  };

  it('is in the header of every request, and unsigned ones have it nowhere else', async () => {
    const { headers, query } = await ask({});

    expect(headers['user-agent']).toBe('cvm-quota-monitor/1.2.3');
    expect(query).not.toHaveProperty('RequestClient');
  });

  it.each(['hmac-sha256', 'hmac-sha1'] as const)('is a parameter with %s', async (signature) => {
    const { headers, query } = await ask({ signature, credentials: fixedCredentials() });

    expect(headers['user-agent']).toBe('cvm-quota-monitor/1.2.3');
    expect(query.RequestClient).toBe('cvm-quota-monitor_1.2.3');
  });

  it('is a header with tc3', async () => {
    const { headers } = await ask({ signature: 'tc3', credentials: fixedCredentials() });

    expect(headers['user-agent']).toBe('cvm-quota-monitor/1.2.3');
    expect(headers['x-tc-requestclient']).toBe('cvm-quota-monitor_1.2.3');
  });
});

describe('other settings', () => {
  it('are those of the next request, and the rate of the present one', async () => {
    const { service, client } = await arrange(
      (_request, response) => {
        answerQuota(response);
      },
      { requestsPerSecond: 1 },
    );
    await client.poll(quotaTarget(), unbounded());

    client.configure({ requestsPerSecond: 20, signature: 'tc3', credentials: fixedCredentials() });
    await Promise.all([1, 2, 3].map(() => client.poll(quotaTarget(), unbounded())));

    const [first, second] = service.requests;
    expect(second!.headers).toHaveProperty('authorization');
    expect(second!.arrivedAtMs - first!.arrivedAtMs).toBeLessThan(900);
  });
});

describe('settings that change while a request waits for its turn', () => {
  it('are those that it is sent with', async () => {
    const { service, client } = await arrange(
      (_request, response) => {
        answerQuota(response);
      },
      { requestsPerSecond: 1, credentials: fixedCredentials() },
    );
    await client.poll(quotaTarget(), unbounded());
    const waiting = client.poll(quotaTarget(), unbounded());

    const other = { secretId: 'another-id', secretKey: 'another-key', token: null };
    client.configure({ credentials: fixedCredentials(other) });
    await waiting;

    expect(service.requests.map(({ query }) => query.SecretId)).toEqual([
      'AKIDexampleidthatisrecognised',
      'another-id',
    ]);
  });

  it('free it from an endpoint that does not answer', async () => {
    const host = await startDeadHost('127.0.0.9', 0);
    closing.push(host.close);
    const rateLimits = new RateLimits();
    const { service, client } = await arrange(
      (_request, response) => {
        answerQuota(response);
      },
      {
        endpoint: `http://127.0.0.9:${host.port}`,
        requestsPerSecond: 2,
        maxAttempts: 1,
        rateLimits,
      },
    );
    const polls = [1, 2, 3].map(() => client.poll(quotaTarget(), unbounded()));
    await delay(10);

    client.configure({ endpoint: service.url });
    rateLimits.configure(new Set(['production']), () => 2);
    await Promise.all(polls);

    expect(service.requests).toHaveLength(3);
  });
});

describe('an aborted poll', () => {
  const reason = new Error('the daemon stops');

  it.each<[string, (request: StubRequest, response: ServerResponse) => void]>([
    ['waits for an answer', () => undefined],
    [
      'reads a body',
      (_request, response) => {
        response.write('{');
      },
    ],
    [
      'waits before a retry',
      (_request, response) => {
        answerError(response, 'InternalError');
      },
    ],
  ])('ends at once with the reason of the signal while it %s', async (_what, answer) => {
    const abort = new AbortController();
    const { service, client } = await arrange(answer, { random: () => 1 - Number.EPSILON });
    const poll = client.poll(quotaTarget(), { ...unbounded(), signal: abort.signal });
    poll.catch(() => undefined);
    await expect.poll(() => service.requests.length).toBe(1);

    abort.abort(reason);

    await expect(poll).rejects.toBe(reason);
    expect(service.requests).toHaveLength(1);
  });

  it('ends with all others that share its signal, and no warning of too many listeners', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    const abort = new AbortController();
    const { service, client } = await arrange(() => undefined);
    const context = { ...unbounded(), signal: abort.signal };
    const polls = Array.from({ length: 50 }, () => client.poll(quotaTarget(), context));
    const settled = Promise.allSettled(polls);
    await expect.poll(() => service.requests.length).toBe(20);

    abort.abort(reason);

    expect(await settled).toEqual(polls.map(() => ({ status: 'rejected', reason })));
    expect(warnings).toEqual([]);
    process.off('warning', warn);
  });

  it('ends at once with any reason while it queues for the rate limit', async () => {
    const abort = new AbortController();
    const { service, client } = await arrange(
      (_request, response) => {
        answerQuota(response);
      },
      { requestsPerSecond: 1 },
    );
    await client.poll(quotaTarget(), unbounded());

    const queued = client.poll(quotaTarget(), { ...unbounded(), signal: abort.signal });
    abort.abort('any reason');

    await expect(queued).rejects.toBe('any reason');
    expect(service.requests).toHaveLength(1);
  });
});
