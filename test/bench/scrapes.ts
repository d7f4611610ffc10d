/** What scrapes cost. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Daemon, Processes, Service, Side } from './processes.ts';
import type { Figures } from './sides/probe.ts';
import { atMost, rounds, type Row } from './table.ts';

const sizes = [
  { series: '3,000', accounts: 1, regions: 20, zones: 8 },
  { series: '100,000', accounts: 50, regions: 20, zones: 5 },
];

/** As fast as possible while nothing changes, beside a server that only sends the same bytes. */
export async function unchanged(processes: Processes): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { series, zones, ...size } of sizes) {
    const daemon = await processes.daemon({ ...size, service: await processes.service(zones) });
    await daemon.full();
    const bare = await processes.side('bare-server', { url: daemon.metricsUrl });
    const sides = await rounds({
      ours: () => load(daemon.metricsUrl),
      bare: () => load(bare.url),
    });
    rows.push({
      what: `scrapes of ${series} series, unchanged`,
      unit: '/s',
      ours: sides.ours,
      beside: { name: 'bare node:http', values: sides.bare },
      goal: { bound: 'at least', value: 0.9 },
    });
    await daemon.stop();
  }
  return rows;
}

/** The CPU time of the first scrape after a cycle in which every target changed, beside prom-client's. */
export async function changed(processes: Processes): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { series, zones, ...size } of sizes) {
    const service = await processes.service(zones);
    const schedule = size.accounts === 1 ? '* * * * * *' : '*/5 * * * * *';
    const daemon = await processes.daemon({ ...size, service, schedule });
    const lines = (await daemon.full()).match(/^[^#]/gm)?.length ?? NaN;
    const scrapes = size.accounts === 1 ? 5 : 1;
    const library = await processes.side('prom-client', { url: daemon.metricsUrl });
    const sides = await rounds({
      ours: async () => (await changedScrapes(daemon, service, scrapes)) / lines,
      library: async () => (await changedScrapesOf(library, scrapes)) / lines,
    });
    rows.push({
      what: `CPU per series of a scrape of ${series} series, all changed`,
      unit: 'µs',
      ours: sides.ours,
      beside: { name: 'prom-client', values: sides.library },
      // A small one costs what any answer costs.
      ...(size.accounts > 1 && { goal: { bound: 'at most', value: 0.8 } }),
    });
    await library.stop();
    await daemon.stop();
  }
  return rows;
}

/**
 * The first scrape after a cycle in which every target changed, with and without labels of the accounts. The daemons poll
 * in turn: what is measured of one must not run beside the cycle of the other.
 */
export async function labels(processes: Processes): Promise<Row[]> {
  const start = async (schedule: string, labelsOfEach: Readonly<Record<string, string>>) => {
    const service = await processes.service(1);
    const watched = { accounts: 500, regions: 20, service, schedule };
    const daemon = await processes.daemon({ ...watched, labels: labelsOfEach });
    await daemon.full();
    const megabytes = async () => (await daemon.compressed()).length / 1e6;
    return {
      daemon,
      megabytes,
      cpuMs: async () => (await changedScrapes(daemon, service, 1)) / 1e3,
    };
  };
  const plain = await start('0 * * * * *', {});
  const ours = await start('30 * * * * *', { team: 'payments', environment: 'production' });
  const cpuMs = await rounds({ ours: ours.cpuMs, plain: plain.cpuMs });
  const { residentMiB } = await ours.daemon.figures();
  const what = '10,000 targets, two labels of each account';
  const beside = (values: readonly number[]) => ({ name: 'without labels', values });
  return [
    atMost(1.15, {
      what: `bytes of a scrape, ${what}`,
      unit: 'MB',
      ours: [await ours.megabytes()],
      beside: beside([await plain.megabytes()]),
    }),
    atMost(1.15, {
      what: `CPU of a scrape, ${what}`,
      unit: 'ms',
      ours: cpuMs.ours,
      beside: beside(cpuMs.plain),
    }),
    atMost(600, { what: `resident memory, ${what}`, unit: 'MiB', ours: [residentMiB] }),
  ];
}

/** The microseconds of one of so many scrapes, each half a second after the end of a cycle. */
async function changedScrapes(daemon: Daemon, service: Service, scrapes: number): Promise<number> {
  let sum = 0;
  for (let i = 0; i < scrapes; i += 1) {
    const { answers } = await service.seen();
    await service.answered((Math.floor(answers / daemon.targets) + 1) * daemon.targets);
    await delay(500);
    const before = (await daemon.figures()).cpuMs;
    await daemon.scrape();
    sum += (await daemon.figures()).cpuMs - before;
  }
  return (sum * 1_000) / scrapes;
}

/** The same of prom-client. What the change itself costs is not measured: the daemon does that when it polls. */
async function changedScrapesOf(library: Side, scrapes: number): Promise<number> {
  let sum = 0;
  for (let i = 0; i < scrapes; i += 1) {
    await library.ask<Figures>('change');
    await delay(500);
    const before = (await library.ask<Figures>('cpu')).cpuMs;
    await scrapeOf(library);
    sum += (await library.ask<Figures>('cpu')).cpuMs - before;
  }
  return (sum * 1_000) / scrapes;
}

async function scrapeOf({ url }: Side): Promise<void> {
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } });
  await response.arrayBuffer();
}

/**
 * While 80 targets a second change, and Prometheus scrapes every second, beside a process that shows the same series
 * with prom-client. How long a block is depends on the machine, so the goal is a share of that process's.
 */
export async function eventLoop(processes: Processes): Promise<Row[]> {
  const service = await processes.service(5);
  const watched = { accounts: 4, regions: 250, service, schedule: '* * * * * *' };
  const daemon = await processes.daemon(watched);
  await daemon.full();
  const library = await processes.side('prom-client', { url: daemon.metricsUrl });
  const scrapeFourTimes = async (scrape: () => Promise<unknown>) => {
    for (let second = 0; second < 4; second += 1) {
      await scrape();
      await delay(1_000);
    }
  };
  const sides = await rounds({
    ours: async () => {
      await daemon.figures('watch');
      await scrapeFourTimes(() => daemon.scrape());
      return (await daemon.figures()).longestBlockMs;
    },
    library: async () => {
      await library.ask<Figures>('watch');
      await scrapeFourTimes(() => scrapeOf(library));
      return (await library.ask<Figures>('cpu')).longestBlockMs;
    },
  });
  return [
    {
      what: 'longest block of the event loop, 100,000 series, 80 targets a second change',
      unit: 'ms',
      ours: sides.ours,
      beside: { name: 'prom-client', values: sides.library },
      goal: { bound: 'at most', value: 0.2 },
    },
  ];
}

/** While others read pages and lists, or ask for them and leave: the slowest scrape of three, and the memory. */
export async function readers(processes: Processes): Promise<Row[]> {
  const service = await processes.service(5);
  const daemon = await processes.daemon({ accounts: 30, regions: 20, service });
  await daemon.full();
  const side = await processes.side('readers', { url: new URL(daemon.metricsUrl).origin });
  const slowestMs = async () => {
    const durationsMs: number[] = [];
    for (let scrape = 0; scrape < 3; scrape += 1) {
      // Longer than an exposition is shared.
      await delay(1_200);
      const startedMs = performance.now();
      await daemon.scrape();
      durationsMs.push(performance.now() - startedMs);
    }
    return Math.max(...durationsMs);
  };
  await slowestMs();
  const before = (await daemon.figures()).residentMiB;
  const sides = await rounds({
    idle: slowestMs,
    come: async () => {
      await side.ask('come');
      const ms = await slowestMs();
      await side.ask('stop');
      return ms;
    },
    leave: async () => {
      const left = side.ask('leave');
      await delay(1_200);
      const startedMs = performance.now();
      await daemon.scrape();
      const ms = performance.now() - startedMs;
      await left;
      return ms;
    },
  });
  const after = (await daemon.figures()).residentMiB;
  const beside = { name: 'without readers', values: sides.idle };
  return [
    atMost(3, {
      what: 'scrape while 30 readers a second come, 600 targets',
      unit: 'ms',
      ours: sides.come,
      beside,
    }),
    atMost(3, {
      what: 'scrape while 3,000 readers leave at once, 600 targets',
      unit: 'ms',
      ours: sides.leave,
      beside,
    }),
    atMost(1.5, {
      what: 'resident memory after these readers',
      unit: 'MiB',
      ours: [after],
      beside: { name: 'before them', values: [before] },
    }),
  ];
}

/** The requests a second of ten connections that ask without a pause. */
async function load(url: string): Promise<number> {
  const args = ['--threads', '1', '--connections', '10', '--timeout', '60s', '--duration', '2s'];
  const header = ['--header', 'Accept-Encoding: gzip'];
  const { stdout } = await promisify(execFile)('wrk', [...args, ...header, url]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url} failed:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
