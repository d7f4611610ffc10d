/** Memory of a daemon: after many cycles, of odd answers, and of what came and went. */
import { expect, test } from 'vitest';
import type { QuotaRecord } from '../../src/collectors/quota/quota.ts';
import { maxChanges } from '../../src/model/published-records.ts';
import { maxAbsentQuotas } from '../../src/model/quota-history.ts';
import { maxFailureCodes, maxRecentChanges } from '../../src/model/record.ts';
import { templateTarget } from '../support/fake-monitor.ts';
import { dataBytes, heapBytes } from '../support/heap.ts';
import { Random } from '../support/random.ts';
import { SocketlessMonitor, startRegions, targets, useRegions } from './socketless-monitor.ts';

/** The `n`th answer of a service that never says the same thing twice. */
function inventedAnswer(n: number, path: string): object {
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
  const quota = { Zone: `ap-regiona-${n}`, UsedQuota: n, RemainingQuota: n, TotalQuota: 2 * n };
  return { AppId: 1, AccountQuotaOverview: { AccountQuota: { PostPaidQuotaSet: [quota] } } };
}

test(
  'memory is after 20,000 cycles of 300 targets what it was after 1,000',
  { timeout: 60 * 60_000 },
  async () => {
    const emulator = await startRegions();
    const random = new Random(1);
    const headers = { host: 'service' };
    const monitor = new SocketlessMonitor(
      targets,
      (target) => emulator.handle({ method: 'GET', target, headers }).body,
    );
    const seriesAfter = async (cycles: number) => {
      while (monitor.cycles < cycles) {
        useRegions(emulator, random);
        await monitor.cycle();
        if (monitor.cycles % 100 === 0) await monitor.seriesCount();
      }
      // The memory of the emulator does not belong to the monitor.
      emulator.state.changes.clear();
      emulator.requests.clear();
      return monitor.seriesCount();
    };
    expect(targets).toHaveLength(300);

    const earlySeries = await seriesAfter(1_000);
    const earlyBytes = heapBytes();
    const lateSeries = await seriesAfter(20_000);

    const growth = heapBytes() / earlyBytes;
    console.log(
      `${earlyBytes} bytes after 1,000 cycles, ${growth.toFixed(3)} times that after 20,000`,
    );
    expect(growth).toBeLessThan(1.05);
    expect(lateSeries).toBe(earlySeries);
    expect(monitor.published.changes()).toHaveLength(maxChanges);
  },
);

test('memory is bounded when every answer names a zone, versions or a code that was never seen', async () => {
  let n = 0;
  const hostile = targets.slice(0, 2);
  const monitor = new SocketlessMonitor(hostile, (path) => {
    n += 1;
    return JSON.stringify({ Response: { ...inventedAnswer(n, path), RequestId: `request-${n}` } });
  });
  const seriesAfter = async (cycles: number) => {
    while (monitor.cycles < cycles) await monitor.cycle();
    return monitor.seriesCount();
  };

  // Every other poll succeeds, and each of those has a zone of its own.
  const full = await seriesAfter(2 * maxAbsentQuotas + 100);
  expect(await seriesAfter(3 * maxAbsentQuotas)).toBe(full);
  for (const record of monitor.published.all()) {
    const { failures } = record.observed.freshness;
    expect(Object.keys(failures)).toHaveLength(maxFailureCodes + 1);
  }
  const [ofQuotas] = monitor.published.all() as readonly [QuotaRecord];
  expect(ofQuotas.durable.histories).toHaveLength(maxAbsentQuotas + 1);
  expect(monitor.published.changes()).toHaveLength(hostile.length * maxRecentChanges);
});

test('of 100,000 templates that came and went, nothing is left', { timeout: 600_000 }, async () => {
  // Within the rate: 20 templates of each account.
  const batch = (number: number) =>
    Array.from({ length: 1_000 }, (_, n) =>
      templateTarget(`account-${n % 50}`, `ap-region-${number}`, `lt-${number}-${n}`),
    );
  const version = { LaunchTemplateVersion: 1, IsDefaultVersion: true };
  const content = { ImageId: 'img-8toqc6s3', InstanceType: 'S5.LARGE8' };
  const rows = [{ ...version, LaunchTemplateVersionData: content }];
  const answer = { LaunchTemplateVersionSet: rows, TotalCount: 1, RequestId: 'request' };
  const monitor = new SocketlessMonitor(batch(0), () => JSON.stringify({ Response: answer }));
  const bytesAfter = async (batches: number) => {
    while (monitor.cycles < batches) {
      monitor.watch(batch(monitor.cycles));
      await monitor.cycle();
      await monitor.month();
    }
    await monitor.seriesCount();
    return dataBytes();
  };

  const bytes = [await bytesAfter(20), await bytesAfter(60), await bytesAfter(100)];

  expect(monitor.published.all()).toHaveLength(1_000);
  expect(monitor.published.all()[0]?.observed.freshness.lastSuccessAtMs).not.toBeNull();
  // A table that grows once is no rest of a template. What is left of them is left in both halves.
  const [first, second] = [1, 2].map((n) => (bytes[n]! - bytes[n - 1]!) / 40_000);
  console.log(`${first!.toFixed(1)}, then ${second!.toFixed(1)} bytes for each template`);
  // A key alone takes 48 bytes.
  expect(Math.min(first!, second!)).toBeLessThan(8);
});
