/** What clients may do to the server of a daemon. After every abuse, a normal scrape is answered in full. */
import { Agent, fetch } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { parseExposition } from '../support/exposition.ts';
import { startWatched } from '../support/program.ts';
import { hasProgram } from '../support/programs.ts';
import { RawConnection } from '../support/raw-connection.ts';
import { runProgram } from '../support/run-program.ts';

/** As long as Prometheus waits for a scrape by default. */
const scrapeTimeoutMs = 10_000;
/** Keeps no connection between two scrapes: the server may end one that has waited the longest. */
const unkept = new Agent({ pipelining: 0 });
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
    const { daemon } = await startWatched();
    const url = await daemon.url();
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
      const signal = AbortSignal.timeout(scrapeTimeoutMs);
      const response = await fetch(`${url}/metrics`, { signal, dispatcher: unkept });
      expect(response.status).toBe(200);
      expect([...parseExposition(await response.text()).series.keys()].join()).toContain(
        'cvm_account_info{account="production",app_id="1250000001",region="ap-guangzhou"}',
      );
    }

    const after = await daemon.cycle();
    expect(connections.filter(({ socket }) => !socket.closed).length).toBeLessThan(maxOpenFiles);
    expect(after.value('cvm_monitor_state_write_failures_total')).toBe(0);
    expect(after.sum('cvm_monitor_poll_failures_total')).toBe(0);
    expect(after.value('process_open_fds')).toBeLessThan(600);
  },
);
