/** Thresholds of the configuration, as a daemon and `check` apply them. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigInput } from '../support/daemon-process.ts';
import { startMonitor, type Monitor } from '../support/monitor.ts';
import { Samples } from '../support/samples.ts';

const place = { region: 'ap-guangzhou', zone: 'ap-guangzhou-3', quota_type: 'postpaid' };

const configOf = (endpoint: string): ConfigInput => ({
  api: { endpoint },
  accounts: [{ name: 'a', credentials: { type: 'none' }, regions: ['ap-guangzhou'] }],
});

/** Warning and critical of one quota of 288 instances. */
async function thresholdsOf(monitor: Monitor) {
  const samples = new Samples(await monitor.text());
  return ['warning', 'critical'].map((severity) =>
    samples.value('cvm_quota_remaining_threshold', { ...place, severity }),
  );
}

/** When the files of the records were last written. */
async function writtenAt(directory: string) {
  const names = await readdir(join(directory, 'data'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.map(async (name) => [name, (await stat(join(directory, 'data', name))).mtimeMs]),
  );
}

test('a reload with other thresholds applies at once; it polls nothing and writes no record', async () => {
  let more: Partial<ConfigInput> = {};
  const monitor = await startMonitor({
    config: ({ endpoint }) => ({ ...configOf(endpoint), ...more }),
  });
  await monitor.until(async () => (await writtenAt(monitor.directory)).length > 0);
  const before = {
    thresholds: await thresholdsOf(monitor),
    requests: monitor.emulator.requests.total,
    files: await writtenAt(monitor.directory),
  };

  more = { thresholds: { warning: 5, critical: '0.5%' } };
  const result = await monitor.daemon.reload();

  expect(result).toEqual({ ok: true });
  expect(before.thresholds).toEqual([58, 29]);
  expect(await thresholdsOf(monitor)).toEqual([5, 2]);
  await monitor.cycle();
  expect(monitor.emulator.requests.total).toBe(before.requests + 1);
  expect(await writtenAt(monitor.directory)).toEqual(before.files);
});

test('an override ends without a poll or a reload', async () => {
  const monitor = await startMonitor({
    config: ({ endpoint }) => ({
      ...configOf(endpoint),
      poll: { timezone: 'Asia/Shanghai', stale_after: '7d' },
      // The clock of the test begins on 2023-11-15 at 06:13 in Shanghai.
      thresholds: { overrides: [{ quota_types: ['postpaid'], muted: true, until: '2023-11-15' }] },
    }),
  });
  const endMs = Date.UTC(2023, 10, 15, 16);
  const muted = await thresholdsOf(monitor);
  monitor.clock.advance(endMs - 1 - monitor.clock.now());
  const last = await thresholdsOf(monitor);
  monitor.clock.advance(1);

  expect([muted, last]).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
  expect(await thresholdsOf(monitor)).toEqual([58, 29]);
});
