/** Scrapes beside prom-client, which renders every series at every scrape. */
import { figure, grouped, interleave, median, type Measurement } from '../harness.ts';
import { load } from '../load.ts';
import { startDaemon, workloadOf } from '../workload.ts';

export const promClient: Measurement = {
  name: 'prom-client',
  async run({ rounds, secondsPerRound, sized }, surroundings) {
    const workload = workloadOf(sized(10_000));
    const daemon = await startDaemon(surroundings, { workload, isSeeded: true });
    const url = `${daemon.url}/metrics`;
    const other = await surroundings.side('prom-client-server', { url });
    const sides = await interleave(rounds, {
      ours: () => load(url, 'gzip', secondsPerRound),
      other: () => load(other.url, 'gzip', secondsPerRound),
    });
    const rate = (side: 'ours' | 'other') =>
      median(sides[side].map(({ requestsPerSecond }) => requestsPerSecond));
    return [
      {
        what: `scrape, ${grouped(10_000)} series, gzip`,
        ours: `${grouped(rate('ours'))} /s`,
        beside: `prom-client ${figure(rate('other'), '/s')}`,
        value: rate('ours') / rate('other'),
        goal: { bound: 'at least', value: 500 },
      },
    ];
  },
};
