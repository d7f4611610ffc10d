/** How fast scrapes are answered while nothing changes, beside a server that only sends bytes. */
import { parseExposition } from '../../support/exposition-text.ts';
import {
  compare,
  grouped,
  interleave,
  type Effort,
  type Finding,
  type Measurement,
} from '../harness.ts';
import { load, rates } from '../load.ts';
import { startDaemon, workloadOf } from '../workload.ts';

export const scrape: Measurement = {
  name: 'scrape',
  async run(effort, workbench) {
    const findings: Finding[] = [];
    for (const series of [10_000, 100_000]) {
      const workload = workloadOf(effort.sized(series));
      const daemon = await startDaemon(workbench, { workload, isSeeded: true });
      const url = `${daemon.url}/metrics`;
      parseExposition(await (await fetch(url)).text());
      const bare = await workbench.side('bare-server', { url });
      const what = `scrape, ${grouped(series)} series`;
      const beside = { name: 'bare node:http', url: bare.url };
      findings.push(...(await besideBareServer(what, { url, beside, effort })));
      await daemon.end();
      await bare.end();
    }
    return findings;
  },
};

interface ScrapeSides {
  readonly url: string;
  /** A server that sends the same bytes. */
  readonly beside: { readonly name: string; readonly url: string };
  readonly effort: Effort;
}

/** Compares the rates of scrapes, compressed and not. */
export async function besideBareServer(
  what: string,
  { url, beside, effort: { rounds, secondsPerRound } }: ScrapeSides,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const encoding of ['gzip', 'identity'] as const) {
    const sides = await interleave(rounds, {
      ours: () => load(url, encoding, secondsPerRound),
      bare: () => load(beside.url, encoding, secondsPerRound),
    });
    findings.push(
      compare({
        what: `${what}, ${encoding}`,
        unit: '/s',
        ours: rates(sides.ours),
        besideName: beside.name,
        beside: rates(sides.bare),
        goal: { bound: 'at least', value: 0.9 },
      }),
    );
  }
  return findings;
}
