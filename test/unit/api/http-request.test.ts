import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Client } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';

import { LargeAnswers } from '../../../src/api/answer-body.ts';
import { sendHttpRequest, type HttpRequestOptions } from '../../../src/api/http-request.ts';
import { startStubService, type StubRequest } from '../../helpers/stub-service.ts';

const mebibyte = 1024 * 1024;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function get(url: string, options: Partial<HttpRequestOptions> = {}): Promise<string> {
  const connection = new Client(url, { headersTimeout: 0, bodyTimeout: 0 });
  closing.unshift(() => connection.destroy());
  return sendHttpRequest(
    connection,
    { path: '/', headers: {}, body: null },
    {
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      largeAnswers: new LargeAnswers(),
      onSent: () => undefined,
      onDate: () => undefined,
      ...options,
    },
  );
}

async function stub(answer: (request: StubRequest, response: ServerResponse) => void) {
  const service = await startStubService(answer);
  closing.push(service.close);
  return service;
}

/** A server that speaks bytes, for what no HTTP server would say. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('an answer', () => {
  it('is put together from any pieces', async () => {
    const text = '{"é":"🦀"}'.repeat(1000);
    const { url } = await stub((_request, response) => {
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });

    await expect(get(url)).resolves.toBe(text);
  });

  it('may be empty', async () => {
    const { url } = await stub((_request, response) => {
      response.end();
    });

    await expect(get(url)).resolves.toBe('');
  });

  it('may follow an early hint', async () => {
    const { url } = await stub((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.end('body');
    });

    await expect(get(url)).resolves.toBe('body');
  });

  it.each([301, 302, 307, 400, 404, 500, 502, 503])('with status %i is refused', async (status) => {
    const service = await stub((_request, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end('<html>');
    });

    await expect(get(service.url)).rejects.toMatchObject({ code: 'HttpStatus' });
    expect(service.requests).toHaveLength(1);
  });

  it.each(['gzip', 'br', 'unknown'])('with content encoding %s is refused', async (encoding) => {
    const service = await stub((_request, response) => {
      response.setHeader('Content-Encoding', encoding);
      response.write(gzipSync(Buffer.alloc(mebibyte)));
    });

    await expect(get(service.url)).rejects.toMatchObject({ code: 'InvalidResponse' });
    await expect.poll(service.brokenOff).toBe(1);
  });

  it('may name the identity as its encoding', async () => {
    const { url } = await stub((_request, response) => {
      response.setHeader('Content-Encoding', 'identity');
      response.end('body');
    });

    await expect(get(url)).resolves.toBe('body');
  });

  it('without end is refused and the connection closed, with memory bounded', async () => {
    const chunk = Buffer.alloc(mebibyte, ' ');
    const service = await stub((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    const before = process.memoryUsage().rss;

    await expect(get(service.url)).rejects.toMatchObject({ code: 'InvalidResponse' });

    await expect.poll(service.brokenOff).toBe(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * mebibyte);
  });

  it('that is large waits while 4 others are under way, and a small one does not', async () => {
    const large = JSON.stringify(Array.from({ length: 100 }, () => 'x'.repeat(2000)));
    const unfinished: ServerResponse[] = [];
    const largeAnswers = new LargeAnswers();
    const service = await stub(({ path }, response) => {
      if (path === '/small') response.end('[]');
      else if (path === '/large') response.end(large);
      else {
        response.write(large);
        unfinished.push(response);
      }
    });
    const ask = (path: string) => {
      const connection = new Client(service.url, { headersTimeout: 0, bodyTimeout: 0 });
      closing.unshift(() => connection.destroy());
      return sendHttpRequest(
        connection,
        { path, headers: {}, body: null },
        {
          timeoutMs: 10_000,
          signal: new AbortController().signal,
          largeAnswers,
          onSent: () => undefined,
          onDate: () => undefined,
        },
      );
    };
    const blocking = Array.from({ length: 4 }, () => ask('/unfinished'));
    await expect.poll(() => unfinished.length).toBe(4);
    await expect(ask('/small')).resolves.toBe('[]');
    let isThere = false;
    const waiting = ask('/large').then((body) => {
      isThere = true;
      return body;
    });
    await expect(ask('/small')).resolves.toBe('[]');
    expect(isThere).toBe(false);

    for (const response of unfinished) response.end();

    await expect(waiting).resolves.toBe(large);
    await Promise.all(blocking);
  });
});

describe('an attempt runs out of time', () => {
  it.each<[string, (request: StubRequest, response: ServerResponse) => void]>([
    ['when no answer begins', () => undefined],
    [
      'when an answer trickles byte by byte',
      (_request, response) => {
        const timer = setInterval(() => response.write(' '), 10);
        response.on('close', () => {
          clearInterval(timer);
        });
      },
    ],
  ])('%s, and its connection is closed', async (_when, answer) => {
    const service = await stub(answer);

    await expect(get(service.url, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'Timeout' });
    await expect.poll(service.brokenOff).toBe(1);
  });

  it('when headers trickle byte by byte', async () => {
    const url = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Header: ');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => {
        clearInterval(timer);
      });
    });

    await expect(get(url, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'Timeout' });
  });
});

describe('a connection fails', () => {
  it('when no server listens', async () => {
    const service = await startStubService(() => undefined);
    await service.close();

    await expect(get(service.url)).rejects.toMatchObject({
      code: 'NetworkError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it.each([
    ['before the answer', ''],
    ['within the headers', 'HTTP/1.1 200 OK\r\nContent-'],
    ['within a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"Resp'],
    ['within a chunked body', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"Res'],
  ])('when the other side closes it %s', async (_where, bytes) => {
    const url = await rawServer((socket) => {
      socket.once('data', () => socket.end(bytes));
    });

    await expect(get(url)).rejects.toMatchObject({ code: 'NetworkError' });
  });

  it('when the answer is not HTTP, whose bytes the error does not keep', async () => {
    const url = await rawServer((socket) => {
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    });

    const error: unknown = await get(url).catch((caught: unknown) => caught);

    expect(error).toMatchObject({ code: 'NetworkError' });
    expect(error).not.toHaveProperty('cause');
  });
});
