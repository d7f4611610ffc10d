/** The same while 20 targets a second are polled, each with new figures. */
import { parseExposition } from '../../support/exposition-text.ts';
import { compare, grouped, interleave, type Finding, type Measurement } from '../harness.ts';
import { load, p99sMs, rates } from '../load.ts';
import { startDaemon, workloadOf } from '../workload.ts';

export const scrapeWhileChanging: Measurement = {
  name: 'changing',
  async run({ rounds, secondsPerRound, sized }, workbench) {
    const findings: Finding[] = [];
    for (const series of [10_000, 100_000]) {
      const workload = workloadOf(sized(series));
      const service = await workbench.side('stub-service', workload);
      const daemon = await startDaemon(workbench, {
        workload,
        endpoint: service.url,
        schedule: '* * * * * *',
        isSeeded: true,
      });
      const url = `${daemon.url}/metrics`;
      const bare = await workbench.side('bare-server', { url });
      for (const encoding of ['gzip', 'identity'] as const) {
        const sides = await interleave(rounds, {
          ours: () => load(url, encoding, secondsPerRound),
          bare: () => load(bare.url, encoding, secondsPerRound),
        });
        const what = `scrape, ${grouped(series)} series, ${encoding}, 20 targets a second change`;
        findings.push(
          compare({
            what,
            unit: '/s',
            ours: rates(sides.ours),
            besideName: 'bare node:http',
            beside: rates(sides.bare),
            goal: { bound: 'at least', value: 0.5 },
          }),
          compare({
            what: `${what}, p99`,
            unit: 'ms',
            ours: p99sMs(sides.ours),
            besideName: 'bare node:http',
            beside: p99sMs(sides.bare),
            goal: { bound: 'at most', value: 5 },
          }),
        );
      }
      parseExposition(await (await fetch(url)).text());
      for (const side of [daemon, bare, service]) await side.end();
    }
    return findings;
  },
};
