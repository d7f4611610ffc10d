import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { costs, estimateDaemons } from '../../../src/config/capacity.ts';
import { parseConfig } from '../../../src/config/config.ts';

const cluster = 'cluster: { name: c, redis: { url: "redis://r" } }';

function estimate(options: { accounts?: number; requests: number; isShared?: boolean }) {
  const { accounts = 1, requests, isShared = false } = options;
  const text = [
    'accounts:',
    ...Array.from({ length: accounts }, (_, i) => `  - { name: a${i}, regions: [ap-guangzhou] }`),
    ...(isShared ? [cluster] : []),
  ].join('\n');
  const config = parseConfig(text, 'config.yaml', collectors);
  const cycle = { requests, seconds: 1, shortestIntervalSeconds: 300, fits: true };
  return estimateDaemons(config, requests, cycle);
}

describe('how many daemons a plan needs', () => {
  it('is one while half of a core is enough', () => {
    expect(estimate({ accounts: 200, requests: 75_000 })).toEqual({
      daemons: 1,
      cores: 0.5,
      memoryMiB: 3_850,
    });
    expect(estimate({ accounts: 200, requests: 75_150 }).daemons).toBe(3);
  });

  it('counts what sharing costs, for each request and each cycle of an account', () => {
    const shared = estimate({ accounts: 600, requests: 6_000, isShared: true });

    expect(shared.daemons).toBe(1);
    expect(shared.cores).toBeCloseTo(0.086);
    expect(estimate({ accounts: 600, requests: 300_000 }).cores).toBeCloseTo(4.006);
  });

  it('is at most one for each account, because a cycle runs on one daemon', () => {
    expect(estimate({ accounts: 2, requests: 3_000_000 }).daemons).toBe(2);
    expect(estimate({ accounts: 1, requests: 3_000_000, isShared: true }).daemons).toBe(1);
  });

  it('is one for a schedule that runs once', () => {
    const config = parseConfig('accounts: [{ name: a, regions: [ap-guangzhou] }]', 'c', collectors);
    const cycle = { requests: 1, seconds: 1, shortestIntervalSeconds: Infinity, fits: true };

    expect(estimateDaemons(config, 1, cycle)).toMatchObject({ daemons: 1, cores: 0 });
  });
});

/** The figure of a row of docs/benchmarks.md, without its unit. */
function measured(row: string): number {
  const table = readFileSync(join(import.meta.dirname, '../../../docs/benchmarks.md'), 'utf8');
  const [, figure = ''] = new RegExp(`^\\| ${row} +\\| ([\\d,.]+) `, 'm').exec(table) ?? [];
  return Number(figure.replaceAll(',', ''));
}

test('the costs are at least the measured ones, and at most four times as high', () => {
  const targets = 10_000;
  const cpuMs =
    measured('CPU of a cycle, 10,000 targets') + measured('CPU of a scrape of it, 10,000 targets');
  const residentMiB = measured('resident memory, 10,000 targets');
  const requestsMs = targets * costs.requestCpuSeconds * 1_000;
  const memoryMiB = costs.daemonMiB + targets * costs.targetMiB;

  expect(cpuMs).toBeGreaterThan(0);
  expect(requestsMs).toBeGreaterThanOrEqual(cpuMs);
  expect(requestsMs).toBeLessThan(4 * cpuMs);
  expect(memoryMiB).toBeGreaterThanOrEqual(residentMiB);
  expect(memoryMiB).toBeLessThan(4 * residentMiB);
});
