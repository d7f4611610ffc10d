/** What ten times the targets cost: a cycle's CPU, a scrape of all that is new, memory. */
import {
  figure,
  grouped,
  interleave,
  median,
  pairedRatios,
  type Finding,
  type Measurement,
} from '../harness.ts';
import type { Workbench } from '../workbench.ts';
import { isReady, startDaemon } from '../workload.ts';

const fewTargets = 1_000;
const manyTargets = 10_000;
const regionsPerAccount = 10;

interface Cost {
  readonly cycleCpuMs: number;
  readonly scrapeCpuMs: number;
  readonly residentMiB: number;
}

const figures = [
  { what: 'CPU of a cycle', of: (cost: Cost) => cost.cycleCpuMs, unit: 'ms' },
  { what: 'CPU of a scrape of it', of: (cost: Cost) => cost.scrapeCpuMs, unit: 'ms' },
  { what: 'resident memory', of: (cost: Cost) => cost.residentMiB, unit: 'MiB' },
];

export const growth: Measurement = {
  name: 'growth',
  async run({ rounds, sized }, workbench) {
    const { few, many } = await interleave(rounds, {
      few: () => measure(workbench, sized(fewTargets)),
      many: () => measure(workbench, sized(manyTargets)),
    });
    return figures.map(({ what, of, unit }): Finding => {
      const [ofFew, ofMany] = [few.map(of), many.map(of)];
      const linear = ofFew.map((cost) => cost * (manyTargets / fewTargets));
      return {
        what: `${what}, ${grouped(manyTargets)} targets`,
        ours: figure(median(ofMany), unit),
        beside: `${grouped(fewTargets)} targets ${figure(median(ofFew), unit)}`,
        values: pairedRatios(ofMany, linear),
        goal: { bound: 'at most', value: 1.1, unit: '× linear' },
      };
    });
  },
};

async function measure(workbench: Workbench, targets: number): Promise<Cost> {
  const accounts = Math.ceil(targets / regionsPerAccount);
  const workload = { accounts, regionsPerAccount, zonesPerRegion: 1 };
  const service = await workbench.side('stub-service', workload);
  const daemon = await startDaemon(workbench, {
    workload,
    endpoint: service.url,
    isSeeded: false,
  });
  const servingMs = await daemon.cpuMs();
  await isReady(daemon);
  const polledMs = await daemon.cpuMs();
  const response = await fetch(`${daemon.url}/metrics`);
  await response.arrayBuffer();
  const cost = {
    cycleCpuMs: polledMs - servingMs,
    scrapeCpuMs: (await daemon.cpuMs()) - polledMs,
    residentMiB: await daemon.residentMiB(),
  };
  await daemon.end();
  await service.end();
  return cost;
}
