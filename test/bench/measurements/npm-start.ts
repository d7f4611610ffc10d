/** From `npm start` to the first answered scrape of the demo. */
import { freePort } from '../free-port.ts';
import { figure, interleave, median, type Measurement } from '../harness.ts';
import type { Workbench } from '../workbench.ts';

export const npmStart: Measurement = {
  name: 'npm-start',
  async run({ rounds }, workbench) {
    const { seconds } = await interleave(rounds, { seconds: () => firstScrape(workbench) });
    return [
      {
        what: 'first scrape after `npm start`',
        ours: figure(median(seconds), 's'),
        beside: '',
        values: seconds,
        goal: { bound: 'at most', value: 4, unit: 's' },
      },
    ];
  },
};

async function firstScrape(workbench: Workbench): Promise<number> {
  const address = `127.0.0.1:${await freePort()}`;
  const args = ['start', '--', `--web.listen-address=${address}`];
  const startedMs = performance.now();
  const npm = await workbench.program('npm', args, `http://${address}/metrics`);
  const seconds = (performance.now() - startedMs) / 1_000;
  // npm passes the signal on. It would leave the demo behind if it were killed.
  await npm.end('SIGTERM');
  return seconds;
}
