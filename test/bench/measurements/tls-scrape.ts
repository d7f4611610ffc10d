/** How fast scrapes with TLS are answered, beside a server with TLS that only sends bytes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { selfSigned } from '../../support/certificate.ts';
import { grouped, type Measurement } from '../harness.ts';
import { besideBareServer } from './scrape.ts';
import { startDaemon, workloadOf } from '../workload.ts';

const series = 10_000;

export const tlsScrape: Measurement = {
  name: 'tls-scrape',
  async run(effort, workbench) {
    const directory = await workbench.directory();
    const { certFile: cert } = await selfSigned(directory, 'server', ['localhost']);
    const key = join(directory, 'server.key');
    const webConfig = join(directory, 'web.yaml');
    const tls = { cert_file: cert, key_file: key };
    await writeFile(webConfig, JSON.stringify({ tls_server_config: tls }));
    const daemon = await startDaemon(workbench, {
      workload: workloadOf(effort.sized(series)),
      isSeeded: true,
      flags: [`--web.config.file=${webConfig}`],
    });
    const url = `${daemon.url}/metrics`;
    const bare = await workbench.side('bare-server', { url, tls: { cert, key } });
    const findings = await besideBareServer(`TLS scrape, ${grouped(series)} series`, {
      url,
      beside: { name: 'bare node:https', url: bare.url },
      effort,
    });
    await daemon.end();
    await bare.end();
    return findings;
  },
};
