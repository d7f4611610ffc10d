/** The first poll of a healthy target, from the start of the process, with and without dead hosts beside it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmulator } from '../../../src/emulator/emulator.ts';
import { startDeadHost } from '../../support/dead-host.ts';
import { compare, interleave, type Measurement } from '../harness.ts';
import type { Workbench } from '../workbench.ts';

const healthy = 'ap-guangzhou';
const dead = Array.from({ length: 20 }, (_, i) => `dead-region-${i}`);
const deadAddress = '127.0.0.9';
/** Lets the daemon find {@link deadAddress} by the names of its hosts. */
const hostsFile = new URL('../../../../../test/support/fixtures/process/hosts.js', import.meta.url)
  .href;

export const deadHost: Measurement = {
  name: 'dead-host',
  async run({ rounds }, workbench) {
    const beside = await interleave(rounds, {
      dead: () => firstPollMs(workbench, [...dead, healthy]),
      none: () => firstPollMs(workbench, [healthy]),
    });
    return [
      compare({
        what: `first poll of a healthy target beside ${dead.length} dead ones`,
        unit: 'ms',
        ours: beside.dead,
        besideName: 'without',
        beside: beside.none,
        goal: { bound: 'at most', value: 1.1 },
      }),
    ];
  },
};

async function firstPollMs(workbench: Workbench, regions: readonly string[]): Promise<number> {
  const emulator = await startEmulator();
  const { port } = new URL(emulator.url);
  const host = await startDeadHost(deadAddress, Number(port));
  const directory = await workbench.directory();
  const configFile = join(directory, 'config.yaml');
  const config = {
    poll: { schedule: '0 0 1 1 *' },
    api: { endpoint: `http://{region}.test:${port}` },
    accounts: [{ name: 'production', credentials: { type: 'none' }, regions }],
  };
  await writeFile(configFile, JSON.stringify(config));
  const flags = [`--config.file=${configFile}`, `--storage.path=${join(directory, 'data')}`];

  const startedMs = Date.now();
  const daemon = await workbench.daemon(flags, [`--import=${hostsFile}`]);
  while (emulator.requests.total === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [first] = emulator.requests.list();
  await daemon.end();
  await host.close();
  await emulator.close();
  return Date.parse(first?.at ?? '') - startedMs;
}
