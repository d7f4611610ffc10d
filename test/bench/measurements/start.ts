/** From the start of the process to the first answered scrape, beside a bare server's start. */
import { compare, interleave, type Measurement } from '../harness.ts';
import type { Side } from '../surroundings.ts';
import { prepareFiles } from '../workload.ts';

const storedTargets = 300;

export const start: Measurement = {
  name: 'start',
  async run({ rounds, sized }, surroundings) {
    const targets = sized(storedTargets);
    const workload = { accounts: 1, regionsPerAccount: targets, zonesPerRegion: 5 };
    const service = await surroundings.side('stub-service', workload);
    const sides = await interleave(2 * rounds, {
      ours: async () => {
        const watching = { workload, endpoint: service.url, requestsPerSecond: 10, isSeeded: true };
        const flags = await prepareFiles(surroundings, watching);
        const { ms, text } = await firstAnswer(() => surroundings.daemon(flags), '/metrics');
        const found = text.match(/^cvm_account_info\{/gm)?.length ?? 0;
        if (found !== targets) throw new Error(`the first scrape shows ${found} targets`);
        return ms;
      },
      bare: async () => (await firstAnswer(() => surroundings.side('hello-server'), '/')).ms,
    });
    return [
      compare({
        what: `start to first answered scrape, ${storedTargets} stored targets`,
        unit: 'ms',
        ours: sides.ours,
        besideName: 'bare node:http',
        beside: sides.bare,
        goal: { bound: 'at most', value: 3 },
      }),
    ];
  },
};

async function firstAnswer(
  run: () => Promise<Side>,
  path: string,
): Promise<{ ms: number; text: string }> {
  const startedMs = performance.now();
  const side = await run();
  const text = await (await fetch(side.url + path)).text();
  const ms = performance.now() - startedMs;
  await side.end();
  return { ms, text };
}
