/**
 * Memory over very many cycles. Time is stepped, and requests do not pass sockets: six million of them
 * would take hours.
 */
import { collectors } from '../../src/collectors/collectors.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { maxChanges } from '../../src/model/published-records.ts';
import { maxAbsentLimits } from '../../src/model/limit-history.ts';
import { maxFailureCodes } from '../../src/model/record.ts';
import type { Target } from '../../src/model/target.ts';
import { parseExposition } from '../helpers/exposition-text.ts';
import { quotaTarget, templateTarget } from '../helpers/fake-monitor.ts';
import { Random } from '../helpers/random.ts';
import { SocketlessMonitor } from '../helpers/socketless-monitor.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is reachable, in bytes. */
function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const template = { id: 'lt-b8v1kcyq', versions: [1, 2, 3] };
const accounts = Array.from({ length: 10 }, (_, i) => `account-${i}`);
const regions = Array.from(
  { length: 15 },
  (_, i) => `ap-region${String.fromCharCode('a'.charCodeAt(0) + i)}`,
);
const targets: readonly Target[] = accounts.flatMap((account) =>
  regions.flatMap((region) => [
    quotaTarget(account, region),
    templateTarget(account, region, template.id),
  ]),
);

function startRegions(): Promise<Emulator> {
  const quota = { used: 3, limit: 100 };
  return createEmulator({
    clock: { now: Date.now },
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

/** A service that never says the same thing twice. */
class InventiveService {
  #answers = 0;

  answer(path: string): string {
    this.#answers += 1;
    const n = this.#answers;
    return JSON.stringify({ Response: { ...this.#content(n, path), RequestId: `request-${n}` } });
  }

  #content(n: number, path: string): object {
    // Of two targets that are asked in turn, each fails at every other time.
    if (n % 4 < 2) return { Error: { Code: `Invented${n}`, Message: `message ${n}` } };
    if (path.includes('DescribeLaunchTemplateVersions')) {
      const versions = [n, n + 1].map((number) => ({
        LaunchTemplateVersion: number,
        IsDefaultVersion: number === n,
        LaunchTemplateVersionData: { ImageId: `img-${n}`, InstanceType: `type-${n}` },
      }));
      return { LaunchTemplateVersionSet: versions, TotalCount: versions.length };
    }
    const quota = { Zone: `zone-${n}`, UsedQuota: n, RemainingQuota: n, TotalQuota: 2 * n };
    return { AppId: n, AccountQuotaOverview: { AccountQuota: { PostPaidQuotaSet: [quota] } } };
  }
}

/** What users do in a minute: something small somewhere. */
function useAccount({ state }: Emulator, random: Random): void {
  const region = random.pick(regions);
  const zonal = { region, zone: `${region}-1`, quotaType: 'postpaid' } as const;
  state.setUsed({ ...zonal, used: random.integer(0, 50) });
  state.setLimit({ ...zonal, limit: random.integer(60, 100) });
  const version = random.pick(template.versions);
  state.setDefaultVersion({ region, templateId: template.id, version });
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

describe('memory', () => {
  it(
    'is after 20,000 cycles of 300 targets what it was after 1,000',
    { timeout: 30 * 60_000 },
    async () => {
      const random = new Random(1);
      const emulator = await startRegions();
      const monitor = new SocketlessMonitor(targets, (path) => answerOf(emulator, path));
      expect(targets).toHaveLength(300);

      const cyclesUntil = async (last: number) => {
        while (monitor.cycles < last) {
          useAccount(emulator, random);
          await monitor.cycle();
          if (monitor.cycles % 100 === 0) await monitor.scrape();
        }
        const { series } = parseExposition(await monitor.scrape());
        // What the emulator remembers of its account is no memory of the monitor.
        emulator.state.changes.clear();
        return { series: series.size, heap: heapBytes() };
      };
      const early = await cyclesUntil(1_000);
      const late = await cyclesUntil(20_000);

      const growth = late.heap / early.heap;
      console.log(
        `${megabytes(early.heap)} MB after 1,000 cycles, ${growth.toFixed(3)} times that after 20,000`,
      );
      expect(growth).toBeLessThan(1.05);
      expect(late.series).toBe(early.series);
      expect(monitor.published.changes()).toHaveLength(maxChanges);
    },
  );

  it('is bounded when every answer names a zone, versions or a code that was never seen', async () => {
    const service = new InventiveService();
    const hostile = targets.slice(0, 2);
    const monitor = new SocketlessMonitor(hostile, (path) => service.answer(path));
    const seriesAfter = async (cycles: number) => {
      while (monitor.cycles < cycles) await monitor.cycle();
      return parseExposition(await monitor.scrape()).series.size;
    };

    // Every other poll succeeds, and each of those has a zone of its own.
    const full = await seriesAfter(2 * maxAbsentLimits + 100);
    expect(await seriesAfter(3 * maxAbsentLimits)).toBe(full);
    for (const record of monitor.published.all()) {
      const { failures } = record.freshness;
      expect(Object.keys(failures)).toHaveLength(maxFailureCodes + 1);
      if (record.kind === 'quota') {
        expect(collectors.of(record.target).limits(record)).toHaveLength(maxAbsentLimits + 1);
      }
    }
    expect(monitor.published.changes()).toHaveLength(maxChanges);
  });
});
