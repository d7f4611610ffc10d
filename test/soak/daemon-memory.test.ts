import { expect, it } from 'vitest';
import { maxChanges } from '../../src/model/published-records.ts';
import { BusyMonitor, targets } from '../support/busy-regions.ts';
import { heapBytes } from '../support/heap.ts';

it(
  'is after 20,000 cycles of 300 targets what it was after 1,000',
  { timeout: 60 * 60_000 },
  async () => {
    const busy = await BusyMonitor.start();
    expect(targets).toHaveLength(300);

    const earlySeries = await busy.pollUntil(1_000);
    const earlyBytes = heapBytes();
    const lateSeries = await busy.pollUntil(20_000);

    const growth = heapBytes() / earlyBytes;
    console.log(
      `${earlyBytes} bytes after 1,000 cycles, ${growth.toFixed(3)} times that after 20,000`,
    );
    expect(growth).toBeLessThan(1.05);
    expect(lateSeries).toBe(earlySeries);
    expect(busy.monitor.published.changes()).toHaveLength(maxChanges);
  },
);
