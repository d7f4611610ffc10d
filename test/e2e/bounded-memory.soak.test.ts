import { expect, it } from 'vitest';
import { maxChanges } from '../../src/model/published-records.ts';
import { BusyMonitor, targets } from '../helpers/busy-regions.ts';

it(
  'is after 20,000 cycles of 300 targets what it was after 1,000',
  { timeout: 60 * 60_000 },
  async () => {
    const busy = await BusyMonitor.start();
    expect(targets).toHaveLength(300);

    const early = await busy.sampleAfter(1_000);
    const late = await busy.sampleAfter(20_000);

    const growth = late.bytes / early.bytes;
    console.log(
      `${early.bytes} bytes after 1,000 cycles, ${growth.toFixed(3)} times that after 20,000`,
    );
    expect(growth).toBeLessThan(1.05);
    expect(late.series).toBe(early.series);
    expect(busy.monitor.published.changes()).toHaveLength(maxChanges);
  },
);
