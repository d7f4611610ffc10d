/** The server of the daemon over real connections: its routes, who is refused, and what a client may take. */
import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { notFound, textAnswer, type Answer } from '../../src/expose/answers.ts';
import type { App } from '../../src/expose/app.ts';
import { startWebServer, type WebOptions } from '../../src/expose/server.ts';
import { FakeMonitor, quotaTarget } from '../support/fake-monitor.ts';
import { recordingLogger } from '../support/loggers.ts';
import { RawConnection, sendRaw, statusesOf } from '../support/raw-connection.ts';

const paths = [
  '/',
  '/metrics',
  '/metrics?x=1',
  '/-/healthy',
  '/-/ready',
  '/api/v1/quotas',
  '/api/v1/quotas?format=csv',
  '/api/v1/targets',
  '/api/v1/changes',
] as const;

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** Serves until the test has finished. Returns what asks the server on a new connection each time. */
async function serve(app: App, options: Partial<WebOptions> = {}) {
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const { lines, logger } = recordingLogger();
  const server = await startWebServer(app, { addresses, ...options }, logger);
  onTestFinished(() => server.close());
  const origins = server.urls.map((url) => new URL(url).origin);
  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    origin = origins[0]!,
  ) =>
    new Promise<Received>((resolve, reject) => {
      requestHttp(`${origin}/`, { method, path, headers, agent: false }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const { date: _date, ...headers } = response.headers;
          const body = Buffer.concat(parts);
          resolve({ status: response.statusCode!, headers, body, text: body.toString() });
        });
      })
        .on('error', reject)
        .end();
    });
  return { send, origins, url: origins[0]!, lines };
}

async function start(options?: Partial<WebOptions>) {
  const monitor = new FakeMonitor(
    ...Array.from({ length: 20 }, (_, i) => quotaTarget('production', `ap-r${i}`)),
  );
  return { monitor, ...(await serve(monitor.app, options)) };
}

it.each(paths)('%s answers HEAD with the status and the type of GET, and no body', async (path) => {
  const { send } = await start();

  const get = await send('GET', path);
  const head = await send('HEAD', path);

  expect([get.status, head.status, head.text]).toEqual([200, 200, '']);
  expect(head.headers['content-type']).toBe(get.headers['content-type']);
  for (const { headers } of [get, head])
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
});

it.each(paths)('%s refuses other methods', async (path) => {
  const { send } = await start();

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PURGE']) {
    const { status, headers } = await send(method, path);
    expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
  }
});

it.each([
  ...['/nothing', '/metrics/', '/api/v1', '/api/v1/targets/1', '/-/', '/favicon.ico', '*', '/%'],
  ...['/-/healthy/../../api/v1/targets', '/-/healthy/%2e%2e/ready', '/api/./v1/targets'],
  ...['/metrics/..', '/../../etc/passwd', '/..%2f..%2fetc%2fpasswd', '/..\\etc\\passwd'],
  ...['//etc/passwd', '/etc/passwd%00.html', '/__proto__', '/%0d%0aSet-Cookie:%20a=b'],
  '/<script>alert(1)</script>',
])(
  'a path that does not exist is not found, and the answer repeats nothing of it: %s',
  async (path) => {
    const { send } = await start();

    const { headers, status, text } = await send('GET', path);
    expect([status, text, headers['set-cookie']]).toEqual([404, 'not found\n', undefined]);
    for (const method of ['HEAD', 'POST', 'DELETE']) {
      expect((await send(method, path)).status).toBe(404);
    }
  },
);

it.each(['/', '/metrics', '/api/v1/targets'])(
  '%s is compressed for who accepts it',
  async (path) => {
    const { send } = await start();

    const plain = await send('GET', path, { 'Accept-Encoding': 'identity' });
    const packed = await send('GET', path, { 'Accept-Encoding': 'br, gzip;q=0.5' });

    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.vary).toMatch(/Accept-Encoding$/);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect(gunzipSync(packed.body).toString().slice(0, 100)).toBe(plain.text.slice(0, 100));
  },
);

it.each(['gzip;q=0', 'br', ''])('nothing is compressed for who accepts %j', async (accepted) => {
  const { send } = await start();

  const { headers, text } = await send('GET', '/api/v1/targets', { 'Accept-Encoding': accepted });

  expect(headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(text)).toHaveProperty('targets');
});

it('a reload over HTTP takes POST, and nothing else', async () => {
  const { send } = await start();

  expect(await send('POST', '/-/reload')).toMatchObject({ status: 200, text: 'reloaded\n' });
  for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
    const { status, headers } = await send(method, '/-/reload');
    expect([status, headers.allow]).toEqual([405, 'POST']);
  }
});

it('a reload over HTTP is refused unless it is enabled, and the answer names the flag', async () => {
  const { monitor, send } = await start();
  Object.assign(monitor.view, { reload: null });

  const { status, text } = await send('POST', '/-/reload');

  expect([status, text]).toEqual([403, expect.stringContaining('--web.enable-lifecycle')]);
});

it.each<Record<string, string>>([
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'http://quota.example', Host: 'quota.example' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-origin' },
  { 'Sec-Fetch-Site': 'none' },
])('a reload over HTTP is refused to every browser: %j', async (headers) => {
  const { monitor, send } = await start();
  Object.defineProperty(monitor, 'reloadResult', {
    get: () => {
      throw new Error('reloaded');
    },
  });

  expect((await send('POST', '/-/reload', headers)).status).toBe(403);
});

const publicUrl = { page: null, host: 'ops.example.com', prefix: '' };
const own = ['localhost', 'localhost:10042', 'LOCALHOST', '127.0.0.1:1', '[::1]:1', '192.0.2.1'];

it.each([...own, 'ops.example.com', 'OPS.example.com:443'])(
  'the host %s is answered on a loopback listener',
  async (Host) => {
    const { send } = await start({ publicUrl });

    expect((await send('GET', '/', { Host })).status).toBe(200);
    expect((await send('GET', '/api/v1/targets', { Host })).status).toBe(200);
  },
);

it.each(['evil.example', 'localhost.evil.example', 'xlocalhost', '127.0.0.1.evil.example'])(
  'the host %s gets no page and no JSON on a loopback listener, and scrapes and probes do not look at it',
  async (Host) => {
    const { send } = await start({ publicUrl });
    const statusOf = async (path: string, method = 'GET') =>
      (await send(method, path, { Host })).status;

    expect([await statusOf('/'), await statusOf('/api/v1/targets')]).toEqual([403, 403]);
    expect([await statusOf('/metrics'), await statusOf('/-/healthy')]).toEqual([200, 200]);
    expect([await statusOf('/-/ready'), await statusOf('/-/reload', 'POST')]).toEqual([200, 200]);
  },
);

it.each([
  ['/quota/-/healthy', 200, undefined],
  ['/-/healthy', 404, undefined],
  ['/quotas', 404, undefined],
  ['/quota', 302, '/quota/'],
  ['/?account=production', 302, '/quota/?account=production'],
])('behind a prefix, %s is answered with %i', async (path, status, location) => {
  const { send } = await start({ publicUrl: { page: null, host: null, prefix: '/quota' } });

  expect(await send('GET', path)).toMatchObject({ status, headers: location ? { location } : {} });
});

it('the host of a request may be any on other listeners', async () => {
  const { origins, send } = await start({
    addresses: [
      { host: '127.0.0.1', port: 0 },
      { host: '0.0.0.0', port: 0 },
    ],
  });

  const statusOf = async (origin: string) =>
    (await send('GET', '/', { Host: 'quota.example' }, origin)).status;
  expect(await Promise.all(origins.map(statusOf))).toEqual([403, 200]);
});

it('the host may be left out by a client of HTTP/1.0, and two are refused', async () => {
  const { url } = await start();

  expect(statusesOf(await sendRaw(url, 'GET / HTTP/1.0\r\n\r\n'))).toEqual([200]);
  expect(
    statusesOf(await sendRaw(url, 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: a\r\n\r\n')),
  ).toEqual([400]);
});

it('the host may stand in a whole URL, as for a proxy', async () => {
  const { url } = await start();
  const request =
    'GET http://localhost/-/healthy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

  expect(statusesOf(await sendRaw(url, request))).toEqual([200]);
});

const link = { mode: 'navigate', dest: 'document' };

it.each([
  ['cross-site', { mode: 'no-cors', dest: 'image' }, 403],
  ['cross-site', { mode: 'cors', dest: 'empty' }, 403],
  ['cross-site', { mode: 'navigate', dest: 'iframe' }, 403],
  ['cross-site', { mode: 'no-cors', dest: 'document' }, 403],
  ['same-site', { mode: 'cors', dest: 'empty' }, 403],
  ['same-origin', { mode: 'cors', dest: 'empty' }, 200],
  ['none', link, 200],
  ['cross-site', link, 200],
  ['same-site', link, 200],
])(
  'on a loopback listener, pages and lists answer a request of %s, %j, with %i, and scrapes and probes always',
  async (site, { dest, mode }, status) => {
    const both = [
      { host: '127.0.0.1', port: 0 },
      { host: '0.0.0.0', port: 0 },
    ];
    const { monitor, origins, send } = await start({ addresses: both });
    const read = vi.spyOn(monitor.published, 'all');
    const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest };
    const statusOf = async (path: string, origin?: string) =>
      (await send('GET', path, headers, origin)).status;

    expect([await statusOf('/'), await statusOf('/api/v1/targets')]).toEqual([status, status]);
    expect(read).toHaveBeenCalledTimes(status === 403 ? 0 : 2);
    expect([await statusOf('/metrics'), await statusOf('/-/healthy')]).toEqual([200, 200]);
    expect(await statusOf('/', origins[1])).toBe(200);
  },
);

it('/-/ready names no path, account or host where users are required', async () => {
  const monitor = new FakeMonitor(quotaTarget('production', 'ap-guangzhou'));
  monitor.hasUsers = true;
  monitor.storageProblem = '/var/lib/data: ENOSPC';
  const { send } = await serve(monitor.app);

  expect((await send('GET', '/-/ready')).text).toBe('ready: 1 of 1 targets attempted\n');
});

it.each([
  ['/', 'staleAfterMs'],
  ['/api/v1/quotas', 'staleAfterMs'],
  ['/-/ready', 'readiness'],
  ['/metrics', 'staleAfterMs'],
  ['/metrics?x', 'staleAfterMs'],
] as const)('a fault of ours at %s is answered with 500 and reported', async (path, broken) => {
  const fault = new Error('a fault of ours');
  const { lines, monitor, send } = await start();
  Object.defineProperty(monitor, broken, {
    get: () => {
      throw fault;
    },
  });

  expect((await send('GET', path)).status).toBe(500);
  const fields = { path: path.split('?')[0], err: fault };
  expect(lines).toEqual([{ level: 'error', message: 'request failed', fields }]);
  expect((await send('GET', '/-/healthy')).status).toBe(200);
});

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const ok = /\r\n\r\nfine$/;
/** Far above what any test needs; each shortens the one it is about. */
const patient = { requestTimeoutMs: 60_000, idleTimeoutMs: 60_000, stallTimeoutMs: 60_000 };
/** More than the socket buffers of two processes can hold. */
const huge = Buffer.from(`${'x'.repeat(64 * 1024 * 1024)}y`);

async function startPlain(limits: NonNullable<WebOptions['limits']> = {}) {
  let finish: () => void = () => undefined;
  const held = new Promise<Answer>((resolve) => {
    finish = () => {
      resolve(textAnswer(200, 'fine'));
    };
  });
  const answers: Readonly<Record<string, Answer | Promise<Answer>>> = {
    '/': textAnswer(200, 'fine'),
    '/held': held,
    '/never': new Promise(() => undefined),
    '/unwritable': textAnswer(200, '', { 'X-Name': '\u0100' }),
    '/huge': textAnswer(200, huge),
    '/other': textAnswer(200, huge.subarray()),
    '/third': textAnswer(200, huge.subarray()),
  };
  const requests: IncomingMessage[] = [];
  const app: App = async (path, _query, request) => {
    requests.push(request as IncomingMessage);
    return answers[path] ?? notFound;
  };
  const { lines, url } = await serve(app, { limits: { ...patient, ...limits } });
  const open = async (localAddress?: string) => {
    const connection = await RawConnection.open(url, localAddress);
    onTestFinished(() => {
      connection.close();
    });
    return connection;
  };
  return { url, open, requests, finish, lines };
}

it.each([
  ['headers come byte by byte', 'GET / HTTP/1.1\r\nX-Name: '],
  ['nothing comes', ''],
  ['a body does not end', 'POST /never HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n'],
])('a client is cut off when %s', async (_what, beginning) => {
  const { open } = await startPlain({ requestTimeoutMs: 300 });
  const connection = await open();
  connection.send(beginning);
  const dripping = setInterval(() => {
    if (beginning !== '') connection.send('x');
  }, 20);
  onTestFinished(() => {
    clearInterval(dripping);
  });

  expect(statusesOf(await connection.ended)).toEqual([408]);
});

it('a client is cut off when it sends no further request', async () => {
  const { open } = await startPlain({ idleTimeoutMs: 300 });
  const connection = await open();
  connection.send(request);

  expect(await connection.ended).toMatch(ok);
});

it('a client is cut off when it takes nothing of its answer', async () => {
  const { open, requests } = await startPlain({ stallTimeoutMs: 300 });
  const connection = await open();
  connection.socket.pause();

  connection.send('GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(() => requests[0]?.socket.destroyed).toBe(true);

  connection.socket.resume();
  expect((await connection.ended).length).toBeLessThan(huge.length);
});

it('a client that waits for an answer of ours is not cut off, however long that takes', async () => {
  const { finish, open } = await startPlain({ stallTimeoutMs: 300 });
  const waiting = await open();
  waiting.send('GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const silent = await open();

  expect(await silent.ended).toBe('');
  finish();

  expect(await waiting.received(ok)).toMatch(ok);
});

it('a client takes the place of the connection that was silent for the longest time when there are too many', async () => {
  const { open } = await startPlain({ maxConnections: 3 });
  const [used, silent, kept] = [await open(), await open(), await open()];
  used.send(request);
  await used.received(ok);

  const next = await open();
  next.send(request);

  expect(await next.received(ok)).toMatch(ok);
  expect(await silent.ended).toBe('');
  used.send(request);
  kept.send(request);
  expect(await used.received(/fine.*fine$/s)).toMatch(ok);
  expect(await kept.received(ok)).toMatch(ok);
});

it('a connection whose answer is being sent is ended last, and one that waits for its answer after idle ones', async () => {
  const { finish, open, requests } = await startPlain({ maxConnections: 3 });
  const [taking, waiting] = [await open(), await open()];
  taking.socket.pause();
  taking.send('GET /huge HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  waiting.send('GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(() => requests.length).toBe(2);

  for (let idle = 0; idle < 10; idle += 1) await open();
  finish();

  expect(await waiting.received(ok)).toMatch(ok);
  taking.socket.resume();
  expect((await taking.ended).endsWith('y')).toBe(true);
});

it.each([
  ['the same answer', '/huge', false],
  ['another answer', '/other', true],
])(
  'a client that does not take its answer is cut off when %s begins and that is too much memory: %s, %s',
  async (_what, path, isCutOff) => {
    const { open, requests } = await startPlain({ maxUntakenBytes: huge.length - 1 });
    const slow = await open();
    slow.socket.pause();
    slow.send('GET /huge HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await expect.poll(() => requests.length).toBe(1);

    const next = await open();
    next.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);

    expect((await next.ended).endsWith('y')).toBe(true);
    slow.socket.resume();
    expect((await slow.ended).endsWith('y')).toBe(!isCutOff);
  },
);

it('of answers that are not taken, those to the address with the most connections are cut off first', async () => {
  const { open, requests } = await startPlain({ maxUntakenBytes: 2 * huge.length - 1 });
  const [alone, first] = [await open('127.0.0.2'), await open()];
  const ask = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  for (const [connection, path] of [
    [alone, '/huge'],
    [first, '/other'],
  ] as const) {
    connection.socket.pause();
    connection.send(ask(path));
    await expect.poll(() => requests.at(-1)?.url).toBe(path);
  }

  const next = await open();
  next.send(ask('/third'));

  expect((await next.ended).endsWith('y')).toBe(true);
  for (const { socket } of [alone, first]) socket.resume();
  expect((await first.ended).endsWith('y')).toBe(false);
  expect((await alone.ended).endsWith('y')).toBe(true);
});

it('answers that a client asked for ahead, and does not take, count too', async () => {
  const { open, url } = await startPlain({ maxUntakenBytes: huge.length - 1 });
  const slow = await open();
  slow.socket.pause();
  slow.send(
    ['/huge', '/other', '/third']
      .map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      .join(''),
  );

  expect(await sendRaw(url, request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).toMatch(
    ok,
  );
  slow.socket.resume();
  expect((await slow.ended).length).toBeLessThan(huge.length);
});

it('of the address with the most connections, one is ended', async () => {
  const { open } = await startPlain({ maxConnections: 3 });
  const alone = await open('127.0.0.2');
  const [first, second] = [await open(), await open()];

  const third = await open();

  expect(await first.ended).toBe('');
  for (const connection of [alone, second, third]) {
    connection.send(request);
    expect(await connection.received(ok)).toMatch(ok);
  }
});

it('a client may send requests ahead of the answers, up to 16', async () => {
  const { open, url } = await startPlain();
  const last = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
  const received = await sendRaw(
    url,
    `${request}GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`,
  );
  expect(statusesOf(received)).toEqual([200, 404, 200]);

  const connection = await open();
  connection.send('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(16));
  connection.send(request);

  expect(await connection.ended).toBe('');
});

it('an answer that cannot be written is 500, with a line in the log', async () => {
  const { lines, url } = await startPlain();

  expect((await fetch(`${url}/unwritable`)).status).toBe(500);

  expect(lines).toMatchObject([{ message: 'request failed', fields: { path: '/unwritable' } }]);
  expect((await fetch(url)).status).toBe(200);
});
