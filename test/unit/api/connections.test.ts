import { once, setMaxListeners } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionPools, type PoolBounds } from '../../../src/api/connections.ts';
import { LargeAnswers } from '../../../src/api/answer-body.ts';
import { sendHttpRequest } from '../../../src/api/http-request.ts';
import { acquirePermit } from '../../../src/api/permit.ts';
import { RateLimit } from '../../../src/api/rate-limit.ts';
import type { Route } from '../../../src/api/routes.ts';
import { startStubService, type StubService } from '../../helpers/stub-service.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function service(answer: Parameters<typeof startStubService>[0]): Promise<StubService> {
  const stub = await startStubService(answer);
  closing.push(stub.close);
  return stub;
}

const direct: Route = { proxy: null, secureContext: undefined };

/** What sends requests to a service: one account's pool and rate limit. */
function sender(url: string, bounds: Partial<PoolBounds> = {}, limit = new RateLimit(1_000)) {
  const pools = new ConnectionPools();
  closing.unshift(() => {
    pools.close();
  });
  const poolOf = (account: string) =>
    pools.poolOf(account, new URL(url), direct, {
      maxConnections: 256,
      connectTimeoutMs: 1_000,
      ...bounds,
    });
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  const permit = async (account = 'a', signal = never) => {
    const given = await acquirePermit(limit, poolOf(account), {
      signal,
      isFirst: false,
      isOutdated: () => false,
      onTurn: () => undefined,
    });
    if (given === null) throw new Error('no permit');
    return given;
  };
  const send = async (timeoutMs = 1_000) => {
    const { connection, token } = await permit();
    try {
      const body = await sendHttpRequest(
        connection.dispatcher,
        { path: '/', headers: {}, body: null },
        {
          timeoutMs,
          signal: never,
          largeAnswers: new LargeAnswers(),
          onSent: () => {
            token.sent();
          },
          onDate: () => undefined,
        },
      );
      connection.release();
      return body;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      token.finished();
    }
  };
  return { pools, poolOf, permit, send };
}

describe('a connection', () => {
  it('is kept alive and used again', async () => {
    const stub = await service((_request, response) => {
      response.end('body');
    });
    const { send } = sender(stub.url);

    for (let i = 0; i < 10; i += 1) await send();

    expect(stub.connections()).toBe(1);
  });

  it('is given up when the service closes it, and replaced', async () => {
    const stub = await service((_request, response) => {
      response.setHeader('Connection', 'close');
      response.end('body');
    });
    const { send } = sender(stub.url);

    await send();
    await send();

    expect(stub.connections()).toBe(2);
  });

  it('is given up when the service closes it before it was used', async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      sockets.push(socket.resume());
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    closing.push(() => server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { permit } = sender(`http://127.0.0.1:${port}`);
    const first = await permit();
    await expect.poll(() => sockets.length).toBe(1);
    first.token.unanswered();
    first.connection.release();

    // The other side has closed the connection too.
    await once(sockets[0]!.end(), 'close');
    await permit();

    await expect.poll(() => sockets.length).toBe(2);
  });

  it('belongs to one account', async () => {
    const stub = await service(() => undefined);
    const { permit } = sender(stub.url, { maxConnections: 1 });

    await permit('a');

    await expect(permit('b')).resolves.toBeDefined();
  });

  it('that cannot be made fails its request with what the network said', async () => {
    const stub = await startStubService(() => undefined);
    await stub.close();

    await expect(sender(stub.url).permit()).rejects.toMatchObject({
      code: 'NetworkError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('ends with the pools, in use or not', async () => {
    const stub = await service(() => undefined);
    const { pools, send } = sender(stub.url);
    const pending = send(10_000);
    pending.catch(() => undefined);
    await expect.poll(() => stub.requests.length).toBe(1);

    pools.close();

    await expect(pending).rejects.toMatchObject({ code: 'NetworkError' });
    await expect.poll(stub.brokenOff).toBe(1);
  });

  it('ends with its account; the connections of other accounts stay', async () => {
    const stub = await service(() => undefined);
    const { pools, poolOf, send } = sender(stub.url);
    const [pending, pool] = [send(10_000), poolOf('a')];
    pending.catch(() => undefined);
    await expect.poll(() => stub.requests.length).toBe(1);

    pools.keepOnly(new Set(['a']));
    expect(poolOf('a')).toBe(pool);
    pools.keepOnly(new Set(['b']));

    await expect(pending).rejects.toMatchObject({ code: 'NetworkError' });
    expect(poolOf('a')).not.toBe(pool);
  });
});

describe('connections', () => {
  it('are no more than their bound; a request waits for one, and its time does not run', async () => {
    const stub = await service((_request, response) => {
      setTimeout(() => response.end('body'), 300);
    });
    const { send } = sender(stub.url, { maxConnections: 2 });

    const bodies = await Promise.all(Array.from({ length: 8 }, () => send(1_000)));

    expect(bodies).toHaveLength(8);
    expect(stub.connections()).toBe(2);
  });

  it('are opened for as many requests as have a turn, not for all that wait', async () => {
    const stub = await service(() => undefined);
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const { permit } = sender(stub.url, {}, new RateLimit(3));

    const waiting = Array.from({ length: 20 }, () => permit('a', abort.signal));
    for (const each of waiting) each.catch(() => undefined);
    await Promise.all(waiting.slice(0, 3));
    await delay(50);

    expect(stub.connections()).toBe(3);
    abort.abort();
  });
});

describe('a permit', () => {
  it('is given up at once when its signal aborts', async () => {
    const stub = await service(() => undefined);
    const abort = new AbortController();
    const { permit } = sender(stub.url, { maxConnections: 1 });
    await permit();
    const waiting = permit('a', abort.signal);

    abort.abort(new Error('the daemon stops'));

    await expect(waiting).rejects.toThrow('the daemon stops');
  });
});
