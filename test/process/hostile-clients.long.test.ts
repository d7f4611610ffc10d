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
