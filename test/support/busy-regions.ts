/** 300 targets of an emulated service. Each minute, small changes happen there. */
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import type { Target } from '../../src/model/target.ts';
import { quotaTarget, templateTarget } from './fake-monitor.ts';
import { Random } from './random.ts';
import { SocketlessMonitor } from './socketless-monitor.ts';

const template = { id: 'lt-b8v1kcyq', versions: [1, 2, 3] };
const accounts = Array.from({ length: 10 }, (_, i) => `account-${i}`);
const regions = Array.from(
  { length: 15 },
  (_, i) => `ap-region${String.fromCharCode('a'.charCodeAt(0) + i)}`,
);
export const targets: readonly Target[] = accounts.flatMap((account) =>
  regions.flatMap((region) => [
    quotaTarget(account, region),
    templateTarget(account, region, template.id),
  ]),
);

function startRegions(): Promise<Emulator> {
  const quota = { used: 3, limit: 100 };
  return createEmulator({
    clock: { now: () => Date.now() },
    scenario: {
      requests_per_second: 1_000,
      accounts: [
        {
          name: 'all',
          regions: regions.map((name) => ({
            name,
            zones: [1, 2].map((n) => ({ name: `${name}-${n}`, postpaid: quota, spotpaid: quota })),
            image: quota,
            launch_templates: [{ ...template, default_version: 1 }],
          })),
        },
      ],
    },
  });
}

function answerOf(emulator: Emulator, target: string): string {
  return emulator.handle({ method: 'GET', target, headers: { host: 'service' } }).body;
}

/** Small changes that users make in one region. */
function useRegion(emulator: Emulator, region: string, random: Random): void {
  const zonal = { region, zone: `${region}-1`, quota_type: 'postpaid' } as const;
  emulator.do({ do: 'set-used', ...zonal, used: random.integer(0, 50) });
  emulator.do({ do: 'set-limit', ...zonal, limit: random.integer(60, 100) });
  const version = random.pick(template.versions);
  emulator.do({ do: 'set-default-version', region, template_id: template.id, version });
}

/** A monitor of all targets. The test controls its time. Requests do not use sockets. */
export class BusyMonitor {
  readonly monitor: SocketlessMonitor;
  readonly #emulator: Emulator;
  readonly #random = new Random(1);

  private constructor(emulator: Emulator, watched: readonly Target[]) {
    this.#emulator = emulator;
    this.monitor = new SocketlessMonitor(watched, (path) => answerOf(emulator, path));
  }

  static async start(watched = targets): Promise<BusyMonitor> {
    return new BusyMonitor(await startRegions(), watched);
  }

  /** Polls until this many cycles are completed. Returns the number of exposed series. */
  async pollUntil(cycles: number): Promise<number> {
    const { monitor } = this;
    while (monitor.cycles < cycles) {
      for (const region of regions) useRegion(this.#emulator, region, this.#random);
      await monitor.cycle();
      if (monitor.cycles % 100 === 0) await monitor.seriesCount();
    }
    const series = await monitor.seriesCount();
    // The memory of the emulator does not belong to the monitor.
    this.#emulator.state.changes.clear();
    this.#emulator.requests.clear();
    return series;
  }
}
