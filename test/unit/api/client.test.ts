/** What the client asks, and what it reads of the answer. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileCredentials } from '../../../src/api/credentials/files.ts';
import type { ClientOptions } from '../../../src/api/options.ts';
import { RateLimits } from '../../../src/api/rate-limits.ts';
import { BoundedCalls } from '../../../src/files/bounded-calls.ts';
import type { QuotaSnapshot } from '../../../src/collectors/quota/answer.ts';
import {
  fixedCredentials,
  observedClient,
  quotaTarget,
  recognisable,
  templateTarget,
  unbounded,
} from '../../helpers/api-client.ts';
import { startDeadHost } from '../../helpers/dead-host.ts';
import { temporaryDirectory } from '../../helpers/directories.ts';
import { InProcessConnections } from '../../helpers/in-process-connections.ts';
import { mostInASecond } from '../../helpers/most-in-a-second.ts';
import { quotaSample, versionsSample } from '../../helpers/official-samples.ts';
import { answerFields, startStubService } from '../../helpers/stub-service.ts';
import { answerQuota, stubbedClient } from '../../helpers/stubbed-client.ts';

describe('a poll of quotas', () => {
  it('reads the official sample', async () => {
    const { client } = await stubbedClient((_request, response) => {
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
    const { service, client } = await stubbedClient((_request, response) => {
      answerQuota(response);
    });

    await client.poll(quotaTarget(), unbounded());

    expect(service.requests[0]?.path).toBe(
      '/?Action=DescribeAccountQuota&Version=2017-03-12&Region=ap-guangzhou',
    );
    expect(service.requests[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it('puts a signature into the query string', async () => {
    const { service, client } = await stubbedClient(
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
    const { service, client } = await stubbedClient(
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
    const { client } = await stubbedClient((_request, response) => {
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
      // So long that the reading waits for a later turn of the event loop.
      const endMs = performance.now() + 1;
      while (performance.now() < endMs);
      return quotaSample;
    });
    const clock = { now: () => nowMs };
    const client = observedClient('http://in-process', { connections, clock });

    await client.poll(quotaTarget(), unbounded());

    expect(client.finished.map(({ durationMs }) => durationMs)).toEqual([40]);
    expect(nowMs).toBe(5_040);
  });

  it('puts the region into the endpoint', async () => {
    const { service } = await stubbedClient((_request, response) => {
      answerQuota(response);
    });
    const client = observedClient('http://127.0.0.1:{region}');
    onTestFinished(client.close);
    const port = new URL(service.url).port;

    await client.poll(quotaTarget({}, port), unbounded());

    expect(service.requests[0]?.query.Region).toBe(port);
  });
});

describe('a poll of a launch template', () => {
  it('reads the official sample in one request that names the whole range', async () => {
    const { service, client } = await stubbedClient((_request, response) => {
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
    const { service, client } = await stubbedClient(({ query }, response) => {
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

describe('the name of the program', () => {
  const ask = async (options: Partial<ClientOptions>) => {
    const { service, client } = await stubbedClient((_request, response) => {
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
    const { service, client } = await stubbedClient(
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
  it('have the only rate in force, also for who still waits for its credentials', async () => {
    const rateLimits = new RateLimits(20);
    const rates: unknown[] = [];
    const { client } = await stubbedClient(
      (_request, response) => {
        answerQuota(response);
      },
      {
        rateLimits,
        credentials: {
          ...fixedCredentials(),
          get: async () => {
            await delay(20);
            rates.push(...rateLimits.rates().map(({ requestsPerSecond }) => requestsPerSecond));
            return recognisable;
          },
        },
      },
    );
    await client.poll(quotaTarget(), unbounded());
    const polled = client.poll(quotaTarget(), unbounded());
    await delay(30);

    rates.length = 0;
    client.configure({ requestsPerSecond: 1 });
    await polled;

    expect(new Set(rates)).toEqual(new Set([1]));
  });

  it('are those that it is sent with', async () => {
    const { service, client } = await stubbedClient(
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
    onTestFinished(host.close);
    const { service, client } = await stubbedClient(
      (_request, response) => {
        answerQuota(response);
      },
      {
        endpoint: `http://127.0.0.9:${host.port}`,
        requestsPerSecond: 2,
        maxAttempts: 1,
      },
    );
    const polls = [1, 2, 3].map(() => client.poll(quotaTarget(), unbounded()));
    await delay(10);

    client.configure({ endpoint: service.url });
    await Promise.all(polls);

    expect(service.requests).toHaveLength(3);
  });
});

describe('the connections of an account to an endpoint', () => {
  it('are as many as its rate and timeout need, for all operations together', async () => {
    const { service, client } = await stubbedClient(() => undefined, {
      requestsPerSecond: 4,
      timeoutMs: 700,
      maxAttempts: 1,
    });
    const polls = [1, 2, 3, 4].flatMap(() => [
      client.poll(quotaTarget(), unbounded()),
      client.poll(templateTarget, unbounded()),
    ]);
    const settled = Promise.allSettled(polls);

    await expect.poll(() => service.requests.length).toBeGreaterThanOrEqual(3);
    await delay(100);
    expect(service.connections()).toBe(3);

    await settled;
    expect(service.requests).toHaveLength(polls.length);
  });
});

describe('two accounts with the same credentials files', () => {
  it('stay within their rate while the key changes and requests wait', async () => {
    const directory = await temporaryDirectory();
    const file = (name: string) => join(directory, name);
    const writeKey = (secretId: string) => writeFile(file('id'), secretId);
    await writeKey('AKIDfirst');
    await writeFile(file('key'), 'any');
    const service = await startStubService((_request, response) => {
      answerQuota(response);
    });
    const rateLimits = new RateLimits(10);
    const clients = ['a', 'b'].map((account) =>
      observedClient(service.url, {
        account,
        rateLimits,
        credentials: fileCredentials(
          { secretIdFile: file('id'), secretKeyFile: file('key') },
          { now: Date.now },
          new BoundedCalls(),
        ),
      }),
    );
    onTestFinished(async () => {
      await Promise.all([service, ...clients].map(({ close }) => close()));
    });
    const pollOften = () =>
      clients.flatMap(({ poll }) =>
        Array.from({ length: 15 }, () => poll(quotaTarget(), unbounded())),
      );

    const polls = pollOften();
    await delay(500);
    await writeKey('AKIDsecond');
    await delay(1_000);
    polls.push(...pollOften());
    await Promise.all(polls);

    const { requests } = service;
    expect(requests).toHaveLength(polls.length);
    expect(requests.at(-1)!.query.SecretId).toBe('AKIDsecond');
    expect(mostInASecond(requests.map(({ arrivedAtMs }) => arrivedAtMs))).toBe(10);
  });
});
