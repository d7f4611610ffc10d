/** What clients may do to the server of a daemon. After every abuse, a normal scrape is answered in full. */
import { Agent, fetch } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { configOf, startDaemon } from '../support/program.ts';
import { hasProgram } from '../support/programs.ts';
import { RawConnection, sendRaw, statusesOf } from '../support/raw-connection.ts';
import { runProgram } from '../support/run-program.ts';
import { startService } from '../support/service.ts';

/** As long as Prometheus waits for a scrape by default. */
const scrapeTimeoutMs = 10_000;

/** Keeps no connection between two scrapes: the server may end one that has waited the longest. */
const unkept = new Agent({ pipelining: 0 });

async function start() {
  const daemon = await startDaemon({ config: configOf(await startService('ap-guangzhou'), {}) });
  const url = await daemon.url();
  /** Scrapes once, and fails for anything but a whole and valid exposition. */
  const scrape = async () => {
    const signal = AbortSignal.timeout(scrapeTimeoutMs);
    const response = await fetch(`${url}/metrics`, { signal, dispatcher: unkept });
    expect(response.status).toBe(200);
    const { series } = parseExposition(await response.text());
    const info = 'cvm_account_info{account="production",app_id="1250000001",region="ap-guangzhou"}';
    expect(series.get(info)).toBe(1);
  };
  return { daemon, url, scrape };
}

const get = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

test('Paths that lead elsewhere are answered with 404, and with nothing of the request', async () => {
  const { url, scrape } = await start();
  for (const target of [
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
  ]) {
    const [head = '', body] = (await sendRaw(url, get(target))).split('\r\n\r\n');
    expect([target, statusesOf(head), body]).toEqual([target, [404], 'not found\n']);
    expect(head).not.toMatch(/^Set-Cookie/im);
  }
  await scrape();
});

test('Methods beside GET and HEAD are answered with 405, and CONNECT leads nowhere', async () => {
  const { url, scrape } = await start();
  for (const method of ['TRACE', 'PROPFIND', 'PURGE', 'M-SEARCH', 'QUERY']) {
    const received = await sendRaw(url, get('/metrics').replace('GET', method));
    expect([method, statusesOf(received)]).toEqual([method, [405]]);
    expect(received).toMatch(/^allow: GET, HEAD\r$/im);
  }
  expect(await sendRaw(url, 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe('');
  await scrape();
});

test('A connection that sends a thousand requests at once is ended', async () => {
  const { url, scrape } = await start();
  const request = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';

  const received = await sendRaw(url, request.repeat(1_000));

  expect(statusesOf(received).length).toBeLessThan(1_000);
  await scrape();
});

/** A common limit of containers, far below the number of connections. */
const maxOpenFiles = 1_024;
const total = 10_000;
const atOnce = 250;
/** What each of them in turn does, and then no more. */
const openings = [
  '',
  'GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Name: ',
];

test.runIf(hasProgram('prlimit', 'util-linux'))(
  'Ten thousand connections leave scrapes answered and records stored, in a daemon that may open 1,024 files',
  async () => {
    const { daemon, url, scrape } = await start();
    await runProgram('prlimit', ['--pid', String(daemon.pid), `--nofile=${maxOpenFiles}`]);
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

    const after = await daemon.cycle();
    expect(connections.filter(({ socket }) => !socket.closed).length).toBeLessThan(maxOpenFiles);
    expect(after.value('cvm_monitor_state_write_failures_total')).toBe(0);
    expect(after.sum('cvm_monitor_poll_failures_total')).toBe(0);
    expect(after.value('process_open_fds')).toBeLessThan(600);
  },
);
