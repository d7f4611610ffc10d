/** How long real Prometheus takes for a scrape, beside what it takes for one of mere bytes. */
import { compare, type Measurement } from '../harness.ts';
import { startPrometheus } from '../prometheus.ts';
import { startDaemon, workloadOf } from '../workload.ts';

/** Long enough for the scrapes of both jobs one after the other. */
const intervalSeconds = 2;

export const prometheusScrape: Measurement = {
  name: 'prometheus',
  async run({ rounds, sized }, workbench) {
    const workload = workloadOf(sized(100_000));
    const daemon = await startDaemon(workbench, { workload, isSeeded: true });
    const bare = await workbench.side('bare-server', { url: `${daemon.url}/metrics` });
    const jobs = { ours: new URL(daemon.url).host, bare: new URL(bare.url).host };
    const prometheus = await startPrometheus(workbench, jobs, intervalSeconds);
    return [
      compare({
        what: 'scrape_duration_seconds in Prometheus, 100,000 series',
        unit: 'ms',
        ours: await prometheus.scrapeDurationsMs('ours', rounds),
        besideName: 'bare node:http',
        beside: await prometheus.scrapeDurationsMs('bare', rounds),
        goal: { bound: 'at most', value: 1.3 },
      }),
    ];
  },
};
