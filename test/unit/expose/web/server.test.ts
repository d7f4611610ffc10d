import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebApp } from '../../../../src/expose/web/app.ts';
import { startWebServer, type WebLimits } from '../../../../src/expose/web/server.ts';
import { RawConnection, sendRaw, statusesOf } from '../../../helpers/raw-connection.ts';

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const ok = /\r\n\r\nfine$/;

/** Far above what any test needs; each shortens the one it is about. */
const patient = { headersTimeoutMs: 60_000, idleTimeoutMs: 60_000, stallTimeoutMs: 60_000 };

/** More than the socket buffers of two processes can hold. */
const huge = Buffer.alloc(64 * 1024 * 1024, 'x');

async function start(limits: Partial<WebLimits>) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/', (c) => c.body('fine'));
  app.get('/never', () => new Promise<never>(() => undefined));
  app.get('/unwritable', (c) => c.body('', 200, { 'X-Name': '\u0100' }));
  const hugeAnswer = new Promise<ServerResponse>((resolve) => {
    app.get('/huge', (c) => {
      resolve(c.env.outgoing);
      return c.body(huge);
    });
  });
  const server = await startWebServer(app as unknown as WebApp, {
    addresses: [{ host: '127.0.0.1', port: 0 }],
    limits: { ...patient, ...limits },
  });
  onTestFinished(() => server.close());
  const { url } = server;
  const open = async () => {
    const connection = await RawConnection.open(url);
    onTestFinished(() => {
      connection.close();
    });
    return connection;
  };
  return { url, open, hugeAnswer };
}

describe('the time a client may take', () => {
  it('ends for headers that come byte by byte', async () => {
    const { open } = await start({ headersTimeoutMs: 300 });
    const connection = await open();
    connection.send('GET / HTTP/1.1\r\nX-Name: ');
    const dripping = setInterval(() => {
      connection.send('x');
    }, 20);
    onTestFinished(() => {
      clearInterval(dripping);
    });

    const received = await connection.ended;

    expect(statusesOf(received)).toEqual([408]);
  });

  it('ends for a connection on which nothing comes', async () => {
    const { open } = await start({ headersTimeoutMs: 300 });
    const connection = await open();

    const received = await connection.ended;

    expect(statusesOf(received)).toEqual([408]);
  });

  it('ends between two requests', async () => {
    const { open } = await start({ idleTimeoutMs: 300 });
    const connection = await open();
    connection.send(request);

    const received = await connection.ended;

    expect(received).toMatch(ok);
  });

  it('ends when it takes nothing of its answer', async () => {
    const { open, hugeAnswer } = await start({ stallTimeoutMs: 300 });
    const connection = await open();
    connection.socket.pause();

    connection.send('GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const answer = await hugeAnswer;
    await new Promise((resolve) => answer.once('close', resolve));

    connection.socket.resume();
    expect((await connection.ended).length).toBeLessThan(huge.length);
  });
});

describe('connections beyond the bound', () => {
  it('take the place of the one that has waited the longest', async () => {
    const { open } = await start({ maxConnections: 2 });
    const first = await open();
    const second = await open();
    first.send(request);
    await first.received(ok);

    const third = await open();
    third.send(request);

    expect(await third.received(ok)).toMatch(ok);
    expect(await second.ended).toBe('');
    first.send(request);
    expect(statusesOf(await first.received(/fine[^]*fine/))).toEqual([200, 200]);
  });

  it('take the place of one that is being answered where all are', async () => {
    const { open } = await start({ maxConnections: 2 });
    const busy = [await open(), await open()];
    for (const connection of busy) {
      connection.send(request + 'GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await connection.received(ok);
    }

    const third = await open();
    third.send(request);

    expect(await third.received(ok)).toMatch(ok);
    expect(statusesOf(await busy[0]!.ended)).toEqual([200]);
    expect(busy[1]!.socket.closed).toBe(false);
  });
});

describe('pipelined requests', () => {
  it('are answered in their order', async () => {
    const { url } = await start({});
    const last = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

    const received = await sendRaw(url, request + 'GET /none HTTP/1.1\r\nHost: a\r\n\r\n' + last);

    expect(statusesOf(received)).toEqual([200, 404, 200]);
  });

  it('end the connection when more than 16 are unanswered', async () => {
    const { open } = await start({});
    const connection = await open();

    connection.send('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(16));
    connection.send(request);

    expect(await connection.ended).toBe('');
  });
});

describe('an answer that cannot be written', () => {
  it('ends its connection and nothing else', async () => {
    const { url } = await start({});

    const received = await sendRaw(url, 'GET /unwritable HTTP/1.1\r\nHost: localhost\r\n\r\n');

    expect(received).toBe('');
    expect((await fetch(url)).status).toBe(200);
  });
});
