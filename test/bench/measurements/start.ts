/** From the start of the process to the first answered scrape, beside a bare server's start, on the image's Node. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compare, interleave, type Measurement } from '../harness.ts';
import type { Runtime, Side, Workbench } from '../workbench.ts';
import { prepareFiles, type Watching } from '../workload.ts';

const targets = 300;

export const start: Measurement = {
  name: 'start',
  async run({ rounds, sized }, workbench) {
    const runtime = await workbench.imageRuntime();
    const workload = { accounts: 1, regionsPerAccount: sized(targets), zonesPerRegion: 5 };
    const service = await workbench.side('stub-service', workload);
    const watching = { workload, endpoint: service.url, requestsPerSecond: 10 };
    // Each side starts once before the rounds, which fills the compile cache.
    const sides = await interleave(2 * rounds, {
      stored: () => startDaemon(workbench, runtime, { ...watching, isSeeded: true }),
      none: () => startDaemon(workbench, runtime, { ...watching, isSeeded: false }),
      bare: async () => {
        const run = () => workbench.side('hello-server', {}, runtime);
        return (await firstAnswer(run, '/')).ms;
      },
    });
    const rows = [
      { stored: `${targets} stored targets`, ours: sides.stored, most: 5 },
      { stored: 'no stored targets', ours: sides.none, most: 4 },
    ];
    const version = await versionOf(runtime);
    return rows.map(({ stored, ours, most }) =>
      compare({
        what: `start to first answered scrape, ${stored}, Node ${version}`,
        unit: 'ms',
        ours,
        besideName: 'bare node:http',
        beside: sides.bare,
        goal: { bound: 'at most', value: most },
      }),
    );
  },
};

async function startDaemon(
  workbench: Workbench,
  runtime: Runtime,
  watching: Watching,
): Promise<number> {
  const flags = await prepareFiles(workbench, watching);
  const { ms, text } = await firstAnswer(() => workbench.daemon(flags, [], runtime), '/metrics');
  const { regionsPerAccount } = watching.workload;
  const found = text.match(/^cvm_monitor_target_up\{/gm)?.length ?? 0;
  const known = text.match(/^cvm_account_info\{/gm)?.length ?? 0;
  if (found !== regionsPerAccount || (watching.isSeeded && known !== regionsPerAccount)) {
    throw new Error(`the first scrape shows ${found} targets, and the data of ${known}`);
  }
  return ms;
}

async function firstAnswer(
  run: () => Promise<Side>,
  path: string,
): Promise<{ ms: number; text: string }> {
  const startedMs = performance.now();
  const side = await run();
  const text = await (await fetch(side.url + path)).text();
  const ms = performance.now() - startedMs;
  await side.end('SIGTERM');
  return { ms, text };
}

async function versionOf({ node }: Runtime): Promise<string> {
  const args = ['--print', 'process.versions.node'];
  return (await promisify(execFile)(node, args)).stdout.trim();
}
