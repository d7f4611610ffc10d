/** Scrapes beside prom-client, which renders every series at every scrape. */
import { compare, grouped, interleave, type Measurement } from '../harness.ts';
import { load, rates } from '../load.ts';
import { startDaemon, workloadOf } from '../workload.ts';

export const promClient: Measurement = {
  name: 'prom-client',
  async run({ rounds, secondsPerRound, sized }, workbench) {
    const workload = workloadOf(sized(10_000));
    const daemon = await startDaemon(workbench, { workload, isSeeded: true });
    const url = `${daemon.url}/metrics`;
    const other = await workbench.side('prom-client-server', { url });
    const sides = await interleave(rounds, {
      ours: () => load(url, 'gzip', secondsPerRound),
      other: () => load(other.url, 'gzip', secondsPerRound),
    });
    return [
      compare({
        what: `scrape, ${grouped(10_000)} series, gzip`,
        unit: '/s',
        ours: rates(sides.ours),
        besideName: 'prom-client',
        beside: rates(sides.other),
        goal: { bound: 'at least', value: 500 },
      }),
    ];
  },
};
