/** A Prometheus that scrapes a cluster through one address. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../directories.ts';
import { PrometheusApi } from '../prometheus/prometheus-api.ts';
import { startPrometheus } from '../prometheus/server-process.ts';
import type { ClusterWorld } from './cluster-world.ts';
import { counterKey, counterNames } from './ledger.ts';
import { startRoundRobin } from './round-robin.ts';

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

/**
 * The increase of every counter over the whole test, as Prometheus computes it. It extrapolates by half the time
 * between two samples; the subquery keeps that short where scrapes failed.
 */
export async function increases(prometheus: PrometheusApi): Promise<ReadonlyMap<string, number>> {
  // `increase` drops the name.
  const named = [...counterNames].map(async (name) => {
    const series = await prometheus.query(`round(increase(${name}[2h:1s]))`);
    return series.map(({ metric, value: [, value] }) => {
      const key = counterKey({ name, labels: metric });
      return [key, Number(value)] as const;
    });
  });
  return new Map((await Promise.all(named)).flat());
}

/** How often a counter fell, by Prometheus. */
export async function resets(prometheus: PrometheusApi): Promise<number> {
  const [count = 0] = await prometheus.numbers(`sum(resets(${allCounters}[2h]))`);
  return count;
}
