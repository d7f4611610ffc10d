import { expect } from 'vitest';
import { collectors } from '../../src/collectors/collectors.ts';
import type { TargetRecord } from '../../src/model/record.ts';
import { parseExposition } from './exposition.ts';
import { FakeMonitor } from './fake-monitor.ts';

const monitor = new FakeMonitor();

/** Fails unless every page can show this record, and the metrics have no series twice. */
export async function expectServed(record: TargetRecord): Promise<void> {
  monitor.published.setTargets([record.target], (target) => collectors.of(target));
  monitor.published.publish(record);
  for (const path of ['/', '/api/v1/targets', '/api/v1/changes']) {
    const response = await monitor.get(path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    await response.text();
  }
  const { series } = parseExposition(await monitor.metrics());
  expect(series.size).toBeGreaterThan(0);
}
