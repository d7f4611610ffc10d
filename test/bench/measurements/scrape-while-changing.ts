/** The same while 20 targets a second are polled, each with new figures. */
import { parseExposition } from '../../helpers/exposition-text.ts';
import { figure, grouped, interleave, median, type Finding, type Measurement } from '../harness.ts';
import { load } from '../load.ts';
import { startDaemon, workloadOf } from '../workload.ts';

export const scrapeWhileChanging: Measurement = {
  name: 'changing',
  async run({ rounds, secondsPerRound, sized }, surroundings) {
    const findings: Finding[] = [];
    for (const series of [10_000, 100_000]) {
      const workload = workloadOf(sized(series));
      const service = await surroundings.side('stub-service', workload);
      const daemon = await startDaemon(surroundings, {
        workload,
        endpoint: service.url,
        schedule: '* * * * * *',
        isSeeded: true,
      });
      const url = `${daemon.url}/metrics`;
      const bare = await surroundings.side('bare-server', { url });
      for (const encoding of ['gzip', 'identity'] as const) {
        const sides = await interleave(rounds, {
          ours: () => load(url, encoding, secondsPerRound),
          bare: () => load(bare.url, encoding, secondsPerRound),
        });
        const rate = (side: 'ours' | 'bare') =>
          median(sides[side].map(({ requestsPerSecond }) => requestsPerSecond));
        const p99 = (side: 'ours' | 'bare') => median(sides[side].map(({ p99Ms }) => p99Ms));
        const what = `scrape, ${grouped(series)} series, ${encoding}, 20 targets a second change`;
        findings.push(
          {
            what,
            ours: `${grouped(rate('ours'))} /s`,
            beside: `bare node:http ${grouped(rate('bare'))} /s`,
            value: rate('ours') / rate('bare'),
            goal: { bound: 'at least', value: 0.5 },
          },
          {
            what: `${what}, p99`,
            ours: figure(p99('ours'), 'ms'),
            beside: `bare node:http ${figure(p99('bare'), 'ms')}`,
            value: p99('ours') / p99('bare'),
            goal: { bound: 'at most', value: 5 },
          },
        );
      }
      parseExposition(await (await fetch(url)).text());
      for (const side of [daemon, bare, service]) await side.end();
    }
    return findings;
  },
};
