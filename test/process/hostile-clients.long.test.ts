/**
 * What clients may do to the daemon's own server, the daemon being a process as its users run it. After
 * every abuse a normal scrape is answered in full. Limits of time are in the unit test of the server.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/emulator.ts';
import { spawnDaemon, type DaemonProcess } from '../support/daemon-process.ts';
import { parseExposition } from '../support/exposition-text.ts';
import { hasProgram } from '../support/programs.ts';
import { RawConnection, sendRaw, statusesOf } from '../support/raw-connection.ts';
import { runProgram } from '../support/run-program.ts';

let emulator: RunningEmulator;
let daemon: DaemonProcess;
let directory: string;
let url: string;

beforeAll(async () => {
  emulator = await startEmulator();
  directory = await mkdtemp(join(tmpdir(), 'cvm-quota-monitor-'));
  daemon = await spawnDaemon({
    directory,
    config: {
      poll: { schedule: '* * * * * *' },
      api: { endpoint: emulator.url },
      accounts: [
        {
          name: 'production',
          credentials: { type: 'none' },
          regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
        },
      ],
    },
  });
  url = await daemon.serving();
  await daemon.ready();
});

afterAll(async () => {
  daemon.signal('SIGKILL');
  await daemon.exited;
  await emulator.close();
  await rm(directory, { recursive: true });
});

/** As long as Prometheus waits for a scrape by default. */
const scrapeTimeoutMs = 10_000;

/** Keeps no connection between two scrapes: the server may end one that has waited the longest. */
const unkept = new Agent({ pipelining: 0 });

/** Scrapes once, and fails for anything but a whole and valid exposition. */
async function scrape(headers: Readonly<Record<string, string>> = {}) {
  const signal = AbortSignal.timeout(scrapeTimeoutMs);
  const response = await fetch(`${url}/metrics`, { headers, signal, dispatcher: unkept });
  expect(response.status).toBe(200);
  const { series } = parseExposition(await response.text());
  expect(
    series.get('cvm_account_info{account="production",app_id="251007416",region="ap-guangzhou"}'),
  ).toBe(1);
  return series;
}

const get = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  );

const post = (target: string, headers: readonly string[], body = '') =>
  [`POST ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n');

describe('requests that are no requests', () => {
  it.each<[string, string]>([
    ['a method that does not exist', 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a version that does not exist', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['the hello of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + '\x00'.repeat(64)],
    ['zeros', '\x00'.repeat(1000)],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a space in a header name', get('/', 'X-Name : value')],
    ['a folded header', get('/', 'X-Name: value', ' continued')],
    ['a zero in a header', get('/', 'X-Name: a\x00b')],
    ['a bare carriage return in a header', get('/', 'X-Name: a\rX-Injected: b')],
  ])('are answered with 400: %s', async (_what, bytes) => {
    const received = await sendRaw(url, bytes);

    expect(statusesOf(received)).toEqual([400]);
    await scrape();
  });

  it.each<[string, string]>([
    ['one header', get('/', `X-Name: ${'x'.repeat(20_000)}`)],
    ['many headers', get('/', ...Array.from({ length: 1_500 }, (_, i) => `X-Name-${i}: value`))],
    ['a URL', get(`/metrics?${'x'.repeat(20_000)}`)],
  ])('are answered with 431 when they are longer than 16 KB: %s', async (_what, bytes) => {
    const received = await sendRaw(url, bytes);

    expect(statusesOf(received)).toEqual([431]);
    await scrape();
  });

  it('are cut off when their headers never end', async () => {
    const connection = await RawConnection.open(url);
    const sending = setInterval(() => {
      connection.send('X-Name: value\r\n'.repeat(100));
    });
    connection.send('GET / HTTP/1.1\r\n');

    await connection.ended;

    clearInterval(sending);
    await scrape();
  });
});

describe('requests for what is not there', () => {
  it.each([
    '/../../../../etc/passwd',
    '/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2f..%2fetc%2fpasswd',
    '/metrics/../../../etc/passwd',
    '/..\\..\\etc\\passwd',
    '//etc/passwd',
    '/etc/passwd%00.html',
    '/%',
    '/%ff%fe',
    '/__proto__',
    '/constructor',
    '/%0d%0aSet-Cookie:%20a=b',
    '/<script>alert(1)</script>',
    '*',
  ])('are answered with 404, and with nothing of the request: %s', async (target) => {
    const received = await sendRaw(url, get(target));

    const [head = '', body] = received.split('\r\n\r\n');
    expect(statusesOf(head)).toEqual([404]);
    expect(head).not.toMatch(/^Set-Cookie/im);
    expect(body).toBe('not found\n');
    await scrape();
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'M-SEARCH', 'QUERY'])(
    'are answered with 405 for the method %s',
    async (method) => {
      const received = await sendRaw(url, get('/metrics').replace('GET', method));

      expect(statusesOf(received)).toEqual([405]);
      expect(received).toMatch(/^allow: GET, HEAD\r$/im);
      await scrape();
    },
  );

  it('are not connected to elsewhere', async () => {
    const received = await sendRaw(url, 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n');

    expect(received).toBe('');
    await scrape();
  });
});

describe('headers that ask for something odd', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['a comma', ','],
    ['separators', ';;;,,,q='],
    ['a weight in letters', '*/*;q=abc'],
    ['a negative weight', 'text/plain;q=-1, gzip;q=-1'],
    ['an infinite weight', 'application/openmetrics-text;q=1e309, gzip;q=1e309'],
    ['no number as a weight', 'application/openmetrics-text;q=NaN, gzip;q=NaN'],
    ['bytes that are no UTF-8', '\xff\xfe'],
    ['the name of a prototype', '__proto__'],
    ['an open quote', 'text/plain; version="'],
    ['7,000 commas', ','.repeat(7_000)],
    ['500 types', 'text/x;q=0.1,'.repeat(500)],
  ])('leave a scrape whole: %s in Accept and Accept-Encoding', async (_what, value) => {
    const headers = { Accept: value, 'Accept-Encoding': value };

    const response = await fetch(`${url}/metrics`, { headers });

    expect(response.status).toBe(200);
    expect(parseExposition(await response.text()).series.size).toBeGreaterThan(100);
  });

  it.each([
    [
      'Upgrade: websocket',
      'Connection: Upgrade, close',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
    ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    ['Range: bytes=0-0,5-99999999999'],
    ['If-None-Match: *', 'If-Modified-Since: nonsense'],
    ['Content-Length: 0'],
  ])('are passed over: %s', async (...headers) => {
    const received = await sendRaw(url, get('/-/healthy', ...headers));

    expect(statusesOf(received)).toEqual([200]);
    expect(received).toMatch(/\r\n\r\nhealthy\n$/);
  });

  it('may be left out by a client of HTTP/1.0', async () => {
    expect(statusesOf(await sendRaw(url, 'GET /metrics HTTP/1.0\r\n\r\n'))).toEqual([200]);
  });
});

/** Nothing on a connection may do what a refused request asked for. */
async function expectNoReload(): Promise<void> {
  await scrape();
  expect(daemon.log.filter(({ msg }) => msg.startsWith('configuration'))).toEqual([]);
}

describe('requests with a body', () => {
  it.each<[string, string]>([
    ['of a length', post('/-/reload', ['Content-Length: 4', 'Connection: close'], 'body')],
    ['of a length, and none of it', post('/-/reload', ['Content-Length: 1000000000000'])],
    [
      'in chunks',
      post(
        '/-/reload',
        ['Transfer-Encoding: chunked', 'Connection: close'],
        '4\r\nbody\r\n0\r\n\r\n',
      ),
    ],
    ['in endless chunks', post('/-/reload', ['Transfer-Encoding: chunked'], '4\r\nbody\r\n')],
  ])('are answered without it, and their connection ends: %s', async (_what, bytes) => {
    const received = await sendRaw(url, bytes.replace('\r\n', '\r\nOrigin: null\r\n'));

    expect(statusesOf(received)[0]).toBe(403);
    await expectNoReload();
  });

  it('are not read for another request', async () => {
    const smuggled = post('/-/reload', []);

    const received = await sendRaw(
      url,
      post('/', ['Connection: close', `Content-Length: ${smuggled.length}`], smuggled) + smuggled,
    );

    expect(statusesOf(received)).toEqual([405]);
    await expectNoReload();
  });
});

describe('requests that two servers would read as two different ones', () => {
  const hidden = '0\r\n\r\n' + post('/-/reload', []);

  it.each<[string, readonly string[]]>([
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 5']],
    ['two lengths', ['Content-Length: 5', 'Content-Length: 6']],
    ['a signed length', ['Content-Length: +5']],
    ['a negative length', ['Content-Length: -5']],
    ['a hexadecimal length', ['Content-Length: 0x5']],
    ['a length of several', ['Content-Length: 5, 5']],
    ['chunks under another name', ['Transfer-Encoding: chunked, identity']],
    ['chunks with a space before the colon', ['Transfer-Encoding : chunked']],
    ['a coding that does not exist', ['Transfer-Encoding: xchunked']],
  ])('are refused: %s', async (_what, headers) => {
    const received = await sendRaw(url, post('/', headers, hidden));

    expect(statusesOf(received)).toEqual([400]);
    await expectNoReload();
  });
});

describe('many connections', () => {
  it('are bounded by ending one that sends a thousand requests at once', async () => {
    const received = await sendRaw(
      url,
      'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1_000),
    );

    expect(statusesOf(received).length).toBeLessThan(1_000);
    await scrape();
  });

  describe.runIf(hasProgram('prlimit', 'util-linux'))('ten thousand of them', () => {
    /** A common limit of containers, far below the number of connections. */
    const maxOpenFiles = 1_024;
    const total = 10_000;
    const atOnce = 250;

    /** What each in turn does and then no more. */
    const openings = [
      '',
      'GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Name: ',
    ];

    it('leave scrapes answered and records stored, in a daemon that may open 1,024 files', async () => {
      await runProgram('prlimit', ['--pid', String(daemon.pid), `--nofile=${maxOpenFiles}`]);
      const before = await scrape();
      const connections: RawConnection[] = [];
      onTestFinished(() => {
        for (const connection of connections) connection.close();
      });

      while (connections.length < total) {
        const opened = await Promise.all(
          Array.from({ length: atOnce }, () => RawConnection.open(url)),
        );
        for (const connection of opened) {
          connection.send(openings[connections.length % openings.length]!);
          connections.push(connection);
        }
        await scrape();
      }

      const polls =
        'cvm_monitor_polls_total{account="production",operation="DescribeAccountQuota",region="ap-guangzhou"}';
      const after = await daemon.metricsWhen(
        (samples) => samples.sum('cvm_monitor_polls_total') > 2 * before.get(polls)! + 4,
      );
      expect(connections.filter(({ socket }) => !socket.closed).length).toBeLessThan(maxOpenFiles);
      expect(after.value('cvm_monitor_state_write_failures_total')).toBe(0);
      expect(after.sum('cvm_monitor_poll_failures_total')).toBe(0);
      expect(after.value('process_open_fds')).toBeLessThan(600);
    });
  });
});
