/** Resident memory, beside the least that could do the work and beside the exposition's own size. */
import { setTimeout as delay } from 'node:timers/promises';
import { Samples } from '../../support/samples.ts';
import { compare, type Effort, type Finding, type Measurement } from '../harness.ts';
import type { Side, Workbench } from '../workbench.ts';
import { isReady, startDaemon, workloadOf } from '../workload.ts';

export const memory: Measurement = {
  name: 'memory',
  run: async (effort, workbench) => [
    await whileIdle(effort, workbench),
    await afterManyPolls(effort, workbench),
    await ofManySeries(effort, workbench),
  ],
};

/** Ten seconds after the first cycle and the first scrape. */
async function whileIdle(
  { rounds, secondsPerRound }: Effort,
  workbench: Workbench,
): Promise<Finding> {
  const targets = 10;
  const workload = { accounts: 1, regionsPerAccount: targets, zonesPerRegion: 5 };
  const service = await workbench.side('stub-service', workload);
  const ours: Side[] = [];
  const bare: Side[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const watching = { workload, endpoint: service.url, isSeeded: false };
    ours.push(await startDaemon(workbench, watching));
    const work = { url: service.url, perSecond: targets, requests: targets };
    bare.push(await workbench.side('bare-monitor', work));
  }
  await Promise.all([...ours.map(isReady), ...bare.map((side) => side.ask({}))]);
  await Promise.all([...ours, ...bare].map(scrape));
  await delay(5 * secondsPerRound * 1_000);
  const finding = compare({
    what: `resident memory, ${targets} targets, idle`,
    unit: 'MiB',
    ours: await residentMiB(ours),
    besideName: 'bare node:http and undici',
    beside: await residentMiB(bare),
    goal: { bound: 'at most', value: 1.2 },
  });
  for (const side of [...ours, ...bare, service]) await side.end();
  return finding;
}

/** Regions without zones have few series: more of them are polled in a second. */
async function afterManyPolls({ rounds, sized }: Effort, workbench: Workbench): Promise<Finding> {
  const polls = sized(10_000);
  const workload = { accounts: 8, regionsPerAccount: 20, zonesPerRegion: 0 };
  const perSecond = workload.accounts * workload.regionsPerAccount;
  const service = await workbench.side('stub-service', workload);
  const ours: Side[] = [];
  const bare: Side[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const watching = { workload, endpoint: service.url, isSeeded: false };
    ours.push(await startDaemon(workbench, { ...watching, schedule: '* * * * * *' }));
    const work = { url: service.url, perSecond, requests: polls };
    bare.push(await workbench.side('bare-monitor', work));
  }
  await Promise.all([
    ...ours.map((side) => untilPolled(side, polls)),
    ...bare.map((side) => side.ask({})),
  ]);
  const finding = compare({
    what: 'resident memory, 3,000 series, after 10,000 polls',
    unit: 'MiB',
    ours: await residentMiB(ours),
    besideName: 'bare node:http and undici',
    beside: await residentMiB(bare),
    goal: { bound: 'at most', value: 1.6 },
  });
  for (const side of [...ours, ...bare, service]) await side.end();
  return finding;
}

/** After ten seconds of changes and scrapes. */
async function ofManySeries(
  { rounds, secondsPerRound, sized }: Effort,
  workbench: Workbench,
): Promise<Finding> {
  const workload = workloadOf(sized(100_000));
  const service = await workbench.side('stub-service', workload);
  const watching = { workload, endpoint: service.url, schedule: '* * * * * *', isSeeded: true };
  const daemons: Side[] = [];
  for (let round = 0; round < rounds; round += 1) {
    daemons.push(await startDaemon(workbench, watching));
  }
  for (let second = 0; second < 5 * secondsPerRound; second += 1) {
    await Promise.all(daemons.map(scrape));
    await delay(1_000);
  }
  const resident = await residentMiB(daemons);
  const texts = await Promise.all(daemons.map(scrape));
  for (const side of [...daemons, service]) await side.end();
  return compare({
    what: 'resident memory, 100,000 series',
    unit: 'MiB',
    ours: resident,
    besideName: 'its exposition',
    beside: texts.map((text) => Buffer.byteLength(text) / 2 ** 20),
    goal: { bound: 'at most', value: 10 },
  });
}

function residentMiB(sides: readonly Side[]): Promise<number[]> {
  return Promise.all(sides.map((side) => side.residentMiB()));
}

/** Scrapes once a second, as Prometheus would. */
async function untilPolled(daemon: Side, polls: number): Promise<void> {
  for (;;) {
    const samples = new Samples(await scrape(daemon));
    const counts = samples.matching('cvm_monitor_polls_total').map(({ value }) => value);
    if (counts.reduce((sum, count) => sum + count, 0) >= polls) return;
    await delay(1_000);
  }
}

/** As Prometheus asks: compressed. */
async function scrape(side: Side): Promise<string> {
  const response = await fetch(`${side.url}/metrics`, {
    headers: { 'Accept-Encoding': 'gzip' },
  });
  return response.text();
}
