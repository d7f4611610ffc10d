/** How fast scrapes with TLS are answered, beside a server with TLS that only sends bytes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { selfSigned } from '../../helpers/certificate.ts';
import { compare, grouped, interleave, type Finding, type Measurement } from '../harness.ts';
import { load, rates } from '../load.ts';
import { startDaemon, workloadOf } from '../workload.ts';

const series = 10_000;

export const tlsScrape: Measurement = {
  name: 'tls-scrape',
  async run({ rounds, secondsPerRound, sized }, surroundings) {
    const directory = await surroundings.directory();
    const { certFile: cert } = await selfSigned(directory, 'server', ['localhost']);
    const key = join(directory, 'server.key');
    const webConfig = join(directory, 'web.yaml');
    const tls = { cert_file: cert, key_file: key };
    await writeFile(webConfig, JSON.stringify({ tls_server_config: tls }));
    const daemon = await startDaemon(surroundings, {
      workload: workloadOf(sized(series)),
      isSeeded: true,
      flags: [`--web.config.file=${webConfig}`],
    });
    const url = `${daemon.url}/metrics`;
    const bare = await surroundings.side('bare-server', { url, tls: { cert, key } });
    const findings: Finding[] = [];
    for (const encoding of ['gzip', 'identity'] as const) {
      const sides = await interleave(rounds, {
        ours: () => load(url, encoding, secondsPerRound),
        bare: () => load(bare.url, encoding, secondsPerRound),
      });
      findings.push(
        compare({
          what: `TLS scrape, ${grouped(series)} series, ${encoding}`,
          unit: '/s',
          ours: rates(sides.ours),
          besideName: 'bare node:https',
          beside: rates(sides.bare),
          goal: { bound: 'at least', value: 0.9 },
        }),
      );
    }
    await daemon.end();
    await bare.end();
    return findings;
  },
};
