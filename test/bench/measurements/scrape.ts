/** How fast scrapes are answered while nothing changes, beside a server that only sends bytes. */
import { parseExposition } from '../../helpers/exposition-text.ts';
import { compare, grouped, interleave, type Finding, type Measurement } from '../harness.ts';
import { load, rates } from '../load.ts';
import { startDaemon, workloadOf } from '../workload.ts';

export const scrape: Measurement = {
  name: 'scrape',
  async run({ rounds, secondsPerRound, sized }, surroundings) {
    const findings: Finding[] = [];
    for (const series of [10_000, 100_000]) {
      const workload = workloadOf(sized(series));
      const daemon = await startDaemon(surroundings, { workload, isSeeded: true });
      const url = `${daemon.url}/metrics`;
      parseExposition(await (await fetch(url)).text());
      const bare = await surroundings.side('bare-server', { url });
      for (const encoding of ['gzip', 'identity'] as const) {
        const sides = await interleave(rounds, {
          ours: () => load(url, encoding, secondsPerRound),
          bare: () => load(bare.url, encoding, secondsPerRound),
        });
        findings.push(
          compare({
            what: `scrape, ${grouped(series)} series, ${encoding}`,
            unit: '/s',
            ours: rates(sides.ours),
            besideName: 'bare node:http',
            beside: rates(sides.bare),
            goal: { bound: 'at least', value: 0.9 },
          }),
        );
      }
      await daemon.end();
      await bare.end();
    }
    return findings;
  },
};
