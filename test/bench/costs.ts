/** What targets, cycles, polls, a start, and a cluster cost. */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root, type Daemon, type Processes, type Service } from './processes.ts';
import { atMost, rounds, type Row } from './table.ts';

const run = promisify(execFile);

/** The CPU time of a cycle in which every target's use differs, with a scrape, and the memory after it. */
export async function growth(processes: Processes): Promise<Row[]> {
  const few = await cyclesOf(processes, 50, '*/5 * * * * *');
  const many = await cyclesOf(processes, 500, '*/15 * * * * *');
  return [
    { what: 'CPU of a cycle and a scrape, 1,000 targets', unit: 's', ours: few.cpuSeconds },
    atMost(1.1, {
      what: 'CPU of a cycle and a scrape, 10,000 targets',
      unit: 's',
      ours: many.cpuSeconds,
      beside: { name: 'ten times 1,000', values: few.cpuSeconds.map((seconds) => 10 * seconds) },
    }),
    atMost(180, { what: 'resident memory, 1,000 targets', unit: 'MiB', ours: few.residentMiB }),
    atMost(600, { what: 'resident memory, 10,000 targets', unit: 'MiB', ours: many.residentMiB }),
  ];
}

async function cyclesOf(processes: Processes, accounts: number, schedule: string) {
  const service = await processes.service(1);
  const watched = { accounts, regions: 20, service, schedule };
  const daemon = await processes.daemon(watched);
  const cpuSeconds: number[] = [];
  const residentMiB: number[] = [];
  await daemon.full();
  for (let cycles = 2; cycles <= 4; cycles += 1) {
    const before = await daemon.figures();
    await service.answered(cycles * daemon.targets);
    await delay(1_000);
    await daemon.scrape();
    const after = await daemon.figures();
    cpuSeconds.push((after.cpuMs - before.cpuMs) / 1_000);
    residentMiB.push(after.residentMiB);
  }
  await daemon.stop();
  return { cpuSeconds, residentMiB };
}

/** What the service allows (docs/service.md, section 10). */
const allowedPerSecond = 20;

/**
 * A cycle beside the shortest that never breaks the limit, however long a request is on its way. A request
 * can arrive just before its answer comes, so each second begins at an answer.
 */
export async function cycle(processes: Processes): Promise<Row[]> {
  const latencyMs = 50;
  const requests = 200;
  const cycles = Array.from({ length: 5 }, async () => {
    const service = await processes.service(1, latencyMs);
    await processes.daemon({ accounts: 1, regions: requests, service });
    return service.answered(requests);
  });
  // They cost little and wait much: side by side they do not disturb each other.
  const seen = await Promise.all(cycles);
  const waits = requests / allowedPerSecond - 1;
  const boundSeconds = (waits * (1_000 + latencyMs) + latencyMs) / 1_000;
  return [
    atMost(1.06, {
      what: `cycle of ${requests} requests, ${latencyMs} ms latency, ${allowedPerSecond} /s allowed`,
      unit: 's',
      ours: seen.map(({ firstArrivalMs, lastAnswerMs }) => (lastAnswerMs - firstArrivalMs) / 1_000),
      beside: { name: 'strict bound', values: seen.map(() => boundSeconds) },
    }),
  ];
}

/** Whole polls, from the schedule to the published and stored record. */
export async function polls(processes: Processes): Promise<Row[]> {
  const service = await processes.service(2);
  const watched = { accounts: 40, regions: 20, service, schedule: '* * * * * *' };
  const daemon = await processes.daemon(watched);
  const sdk = await processes.side('sdk-calls', { url: (await processes.service(2)).url });
  await daemon.full();
  const pollsThatFind = (differs: 'nothing' | 'limit') => async () => {
    await service.differIn(differs);
    await delay(1_000);
    return cpuMsOfPolls(daemon, service, 2 * daemon.targets);
  };
  const sides = await rounds({
    quiet: pollsThatFind('nothing'),
    changing: pollsThatFind('limit'),
    sdk: () => sdk.ask(2 * daemon.targets),
  });
  const beside = { name: 'bare call of the SDK', values: sides.sdk };
  return [
    atMost(3, {
      what: 'CPU of a poll that finds nothing new',
      unit: 'ms',
      ours: sides.quiet,
      beside,
    }),
    atMost(15, {
      what: 'CPU of a poll that finds a change',
      unit: 'ms',
      ours: sides.changing,
      beside,
    }),
  ];
}

/** The CPU time of one of at least so many polls. */
async function cpuMsOfPolls(daemon: Daemon, service: Service, count: number) {
  const { answers } = await service.seen();
  const before = await daemon.figures();
  const seen = await service.answered(answers + count);
  return ((await daemon.figures()).cpuMs - before.cpuMs) / (seen.answers - answers);
}

/** From the start of the process to the first answered scrape. */
export async function start(processes: Processes): Promise<Row[]> {
  const service = await processes.service(5);
  const watched = { accounts: 15, regions: 20, service };
  const stored = { ...watched, storage: join(await processes.directory(), 'data') };
  const filling = await processes.daemon(stored);
  await filling.full();
  await filling.stop();

  const sides = await rounds({
    empty: () => firstScrape(() => processes.daemon(watched)),
    stored: () => firstScrape(() => processes.daemon(stored)),
    bare: () =>
      firstScrape(async () => {
        const side = await processes.side('bare-server');
        return { scrape: async () => (await fetch(side.url)).text(), stop: () => side.stop() };
      }),
  });
  const beside = { name: 'bare node:http', values: sides.bare };
  return [
    atMost(6, {
      what: 'start to the first scrape, no stored targets',
      unit: 'ms',
      ours: sides.empty,
      beside,
    }),
    atMost(12, {
      what: 'start to the first scrape, 300 stored targets',
      unit: 'ms',
      ours: sides.stored,
      beside,
    }),
  ];
}

async function firstScrape(
  startSide: () => Promise<{ scrape: () => Promise<string>; stop: () => Promise<void> }>,
): Promise<number> {
  const startedMs = performance.now();
  const side = await startSide();
  await side.scrape();
  const ms = performance.now() - startedMs;
  await side.stop();
  return ms;
}

/** What the package is, and what `npm install` adds to it. */
export async function installSize(): Promise<Row[]> {
  const pack = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
  const [{ unpackedSize }] = JSON.parse(pack.stdout) as [{ unpackedSize: number }];
  const list = await run('npm', ['ls', '--all', '--omit=dev', '--parseable'], { cwd: root });
  const packages = list.stdout.trim().split('\n').slice(1);
  const sizes = await run('du', ['--bytes', '--summarize', '--total', ...packages]);
  const bytes = unpackedSize + Number(/^(\d+)\ttotal$/m.exec(sizes.stdout)?.[1]);
  return [
    atMost(35, { what: 'install size', unit: 'MB', ours: [bytes / 1e6] }),
    atMost(40, { what: 'installed packages beside it', unit: 'packages', ours: [packages.length] }),
  ];
}

/** Three daemons with Redis beside one with files, 200 accounts of 10 targets. */
export async function cluster(processes: Processes): Promise<Row[]> {
  const port = randomInt(10_000, 30_000);
  const flags = ['--port', String(port), '--save', '', '--dir', await processes.directory()];
  await processes.program('redis-server', flags, () => commandsOf(port));
  const size = { accounts: 200, regions: 10, schedule: '*/2 * * * * *' };
  const [service, shared] = [await processes.service(2), await processes.service(2)];
  const alone = await processes.daemon({ ...size, service });
  const watched = { ...size, service: shared, redisUrl: `redis://127.0.0.1:${port}` };
  const daemons = [
    await processes.daemon(watched),
    await processes.daemon(watched),
    await processes.daemon(watched),
  ];
  await Promise.all([alone, ...daemons].map((daemon) => daemon.full()));
  // As most polls. By then each has its share, and its code is compiled.
  await Promise.all([service, shared].map((each) => each.differIn('nothing')));
  await shared.answered(40_000);
  const totals = async () => {
    const cpuMs = await Promise.all(
      [alone, ...daemons].map(async (daemon) => (await daemon.figures()).cpuMs),
    );
    const seen = await Promise.all([service.seen(), shared.seen()]);
    const [one = NaN, ...three] = cpuMs;
    return {
      one: { cpuMs: one, polls: seen[0].answers },
      three: { cpuMs: three.reduce((sum, each) => sum + each, 0), polls: seen[1].answers },
      commands: await commandsOf(port),
    };
  };
  const commands: number[] = [];
  let cpuMsOfThree = NaN;
  const cpu = await rounds({
    // In the same seconds: both sides poll in bursts, and a round must cut neither.
    one: async () => {
      const before = await totals();
      await delay(6_000);
      const after = await totals();
      const perPoll = (side: 'one' | 'three', total: number) =>
        total / (after[side].polls - before[side].polls);
      commands.push(perPoll('three', after.commands - before.commands));
      cpuMsOfThree = perPoll('three', after.three.cpuMs - before.three.cpuMs);
      return perPoll('one', after.one.cpuMs - before.one.cpuMs);
    },
    three: () => Promise.resolve(cpuMsOfThree),
  });
  return [
    atMost(10, {
      what: 'commands of Redis for a poll, 3 daemons, 2,000 targets',
      unit: 'commands',
      ours: commands,
    }),
    atMost(1.5, {
      what: 'CPU of a poll that finds nothing new, 3 daemons together',
      unit: 'ms',
      ours: cpu.three,
      beside: { name: 'one daemon with files', values: cpu.one },
    }),
  ];
}

/** How many commands Redis has processed. */
async function commandsOf(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('INFO stats\r\n');
  const [text] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^total_commands_processed:(\d+)/m.exec(text.toString())?.[1]);
}
