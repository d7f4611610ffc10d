/** A cycle of 400 requests against the emulator, beside the time that the rate limit leaves it. */
import { startEmulator, type RunningEmulator } from '../../../src/emulator/emulator.ts';
import { Samples } from '../../support/samples.ts';
import { startDelayingProxy } from '../delaying-proxy.ts';
import { figure, median, type Finding, type Measurement } from '../harness.ts';
import type { Side, Workbench } from '../workbench.ts';
import { isReady, regionNames, startDaemon, type Workload } from '../workload.ts';

/** What the service allows (docs/service.md, section 10). */
const allowedPerSecond = 20;
const latencyMs = 50;

interface Network {
  readonly requestsPerSecond: number;
  readonly mostDelayMs: number;
}

interface Cycle {
  readonly emulator: RunningEmulator;
  readonly daemon: Side;
}

export const cycle: Measurement = {
  name: 'cycle',
  async run({ rounds, sized }, workbench) {
    const regionsPerAccount = sized(400);
    const workload = { accounts: 1, regionsPerAccount, zonesPerRegion: 1 };
    // Cycles cost little and wait much: side by side they do not disturb each other.
    const delayed: Cycle[] = [];
    const direct: Cycle[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const ours = { requestsPerSecond: allowedPerSecond, mostDelayMs: 0 };
      const byDefault = { requestsPerSecond: 10, mostDelayMs: 50 };
      direct.push(await beginCycle(workbench, workload, ours));
      delayed.push(await beginCycle(workbench, workload, byDefault));
    }
    const durations = await Promise.all(direct.map(durationMs));
    await Promise.all(delayed.map(durationMs));
    const strictMs = strictBoundMs(regionsPerAccount);
    return [
      {
        what: `cycle of ${regionsPerAccount} requests, ${latencyMs} ms latency, ${allowedPerSecond} /s allowed`,
        ours: figure(median(durations) / 1_000, 's'),
        beside: `strict bound ${figure(strictMs / 1_000, 's')}`,
        values: durations.map((ms) => ms / strictMs),
        goal: { bound: 'at most', value: 1.02 },
      },
      {
        what: 'most arrivals in any sliding second of these cycles',
        ours: String(Math.max(...direct.map(mostInASecond))),
        beside: '',
        values: [Math.max(...direct.map(mostInASecond))],
        goal: { bound: 'at most', value: allowedPerSecond, unit: '/s' },
      },
      refusals('requests refused in these cycles', direct),
      refusals('the same at the default rate, 0 to 50 ms random delay each way', delayed),
    ];
  },
};

/**
 * The shortest cycle that never breaks the limit, however long a request is on its way. It can arrive just
 * before its answer comes, so each second begins at an answer.
 */
function strictBoundMs(requests: number): number {
  const waits = Math.ceil(requests / allowedPerSecond) - 1;
  return waits * (1_000 + latencyMs) + latencyMs;
}

async function beginCycle(
  workbench: Workbench,
  workload: Workload,
  { requestsPerSecond, mostDelayMs }: Network,
): Promise<Cycle> {
  const regions = regionNames(workload).map((name) => ({
    name,
    zones: [{ name: `${name}-1`, postpaid: { limit: 10 } }],
  }));
  const emulator = await startEmulator({
    scenario: {
      requests_per_second: allowedPerSecond,
      accounts: [{ name: 'account-0', regions }],
      faults: [{ effect: 'latency', latency: `${latencyMs}ms` }],
    },
  });
  workbench.atEnd(() => emulator.close());
  let endpoint = emulator.url;
  if (mostDelayMs > 0) {
    const proxy = await startDelayingProxy(emulator.url, mostDelayMs);
    workbench.atEnd(proxy.close);
    endpoint = proxy.url;
  }
  const watching = { workload, endpoint, requestsPerSecond, isSeeded: false };
  return { emulator, daemon: await startDaemon(workbench, watching) };
}

async function durationMs({ daemon }: Cycle): Promise<number> {
  await isReady(daemon);
  for (;;) {
    const samples = new Samples(await (await fetch(`${daemon.url}/metrics`)).text());
    const [duration] = samples.matching('cvm_monitor_last_cycle_duration_seconds');
    if (duration !== undefined) return duration.value * 1_000;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function mostInASecond({ emulator }: Cycle): number {
  const arrivals = emulator.requests.list().map(({ at }) => Date.parse(at));
  const within = (start: number) => arrivals.filter((at) => at >= start && at < start + 1_000);
  return Math.max(...arrivals.map((start) => within(start).length));
}

function refusals(what: string, cycles: readonly Cycle[]): Finding {
  const received = cycles.flatMap(({ emulator }) => emulator.requests.list());
  const refused = received.filter(({ code }) => code === 'RequestLimitExceeded').length;
  return {
    what,
    ours: `${refused} of ${received.length}`,
    beside: '',
    values: [refused],
    goal: { bound: 'at most', value: 0 },
  };
}
