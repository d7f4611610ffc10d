/** A Prometheus that scrapes a cluster through one address. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../directories.ts';
import { PrometheusApi } from '../prometheus/prometheus-api.ts';
import { startPrometheus } from '../prometheus/server-process.ts';
import type { ClusterWorld } from './cluster-world.ts';
import { counterKey, counterNames } from './ledger.ts';
import { request } from 'node:http';
import { listenLocally } from '../prometheus/local-server.ts';

/** @returns its `host:port` */
async function startRoundRobin(urls: () => readonly string[]): Promise<string> {
  let turn = 0;
  return listenLocally((incoming, outgoing) => {
    const all = urls();
    turn += 1;
    const url = all[turn % all.length];
    if (url === undefined) {
      outgoing.writeHead(503).end();
      return;
    }
    const { headers } = incoming;
    const passed = request(new URL(incoming.url ?? '/', url), { headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    passed.end();
  });
}

const allCounters = `{__name__=~"${[...counterNames].join('|')}"}`;

export async function scrapeWithPrometheus({ members }: ClusterWorld): Promise<PrometheusApi> {
  const address = await startRoundRobin(() =>
    members.flatMap(({ url }) => (url === null ? [] : [url])),
  );
  const file = join(await temporaryDirectory(), 'prometheus.yaml');
  await writeFile(
    file,
    JSON.stringify({
      global: { scrape_interval: '2s', scrape_timeout: '2s' },
      scrape_configs: [{ job_name: 'cluster', static_configs: [{ targets: [address] }] }],
    }),
  );
  return new PrometheusApi(await startPrometheus(file));
}

/** How many counters of changes it has. */
export async function countersIn(prometheus: PrometheusApi): Promise<number> {
  const [count = 0] = await prometheus.numbers(`count(${allCounters})`);
  return count;
}

/** How much every counter grew in the whole test, by two expressions of Prometheus. */
export interface Growth {
  /** `increase`, which extrapolates by up to the time between two scrapes. */
  readonly increase: number;
  /** The difference of its highest and its lowest value: exact where no counter fell. */
  readonly difference: number;
}

export async function growth(prometheus: PrometheusApi): Promise<ReadonlyMap<string, Growth>> {
  const found = new Map<string, Growth>();
  for (const name of counterNames) {
    // Both drop the name.
    const numbers = async (expr: string) => {
      const series = await prometheus.query(expr);
      return new Map(
        series.map(({ metric, value: [, value] }) => [
          counterKey({ name, labels: metric }),
          Number(value),
        ]),
      );
    };
    const increases = await numbers(`increase(${name}[2h])`);
    const range = `${name}[2h]`;
    const differences = await numbers(`max_over_time(${range}) - min_over_time(${range})`);
    for (const [key, difference] of differences) {
      found.set(key, { difference, increase: increases.get(key) ?? NaN });
    }
  }
  return found;
}

/** How often a counter fell, by Prometheus. */
export async function resets(prometheus: PrometheusApi): Promise<number> {
  const [count = 0] = await prometheus.numbers(`sum(resets(${allCounters}[2h]))`);
  return count;
}
