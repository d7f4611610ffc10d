/** CPU of a scrape beside Debian's Pushgateway, a Go program that holds the same series. */
import { compare, interleave, type Measurement } from '../harness.ts';
import { freePort } from '../free-port.ts';
import type { Side } from '../workbench.ts';
import { startDaemon, workloadOf } from '../workload.ts';

export const pushgateway: Measurement = {
  name: 'pushgateway',
  async run({ rounds, sized }, workbench) {
    const workload = workloadOf(sized(100_000));
    const daemon = await startDaemon(workbench, { workload, isSeeded: true });
    const text = await (await fetch(`${daemon.url}/metrics`)).text();

    const address = `127.0.0.1:${await freePort()}`;
    const url = `http://${address}`;
    const flags = [`--web.listen-address=${address}`, '--log.level=error'];
    const gateway = await workbench.program('prometheus-pushgateway', flags, `${url}/-/ready`);
    await push(url, domainFamilies(text));

    const sides = await interleave(rounds, {
      ours: () => cpuOfScrapes(daemon, 200),
      gateway: () => cpuOfScrapes(gateway, 3),
    });
    return [
      compare({
        what: 'CPU of a scrape, 100,000 series, gzip',
        unit: 'ms',
        ours: sides.ours,
        besideName: 'Pushgateway (Go)',
        beside: sides.gateway,
        goal: { bound: 'at most', value: 1 / 50 },
      }),
    ];
  },
};

/** The Pushgateway has process metrics of its own, and refuses those of others. */
function domainFamilies(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^(# (HELP|TYPE) )?cvm_/.test(line))
    .map((line) => `${line}\n`)
    .join('');
}

async function push(url: string, text: string): Promise<void> {
  const response = await fetch(`${url}/metrics/job/bench`, { method: 'PUT', body: text });
  if (!response.ok) throw new Error(`the Pushgateway refused: ${await response.text()}`);
}

/** Of one of so many scrapes, one after the other. */
async function cpuOfScrapes(side: Side, count: number): Promise<number> {
  const url = new URL('/metrics', side.url);
  const beforeMs = await side.cpuMs();
  for (let i = 0; i < count; i += 1) {
    const response = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
    await response.arrayBuffer();
  }
  return ((await side.cpuMs()) - beforeMs) / count;
}
