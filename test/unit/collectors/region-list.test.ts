import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { PolledTarget } from '../../support/polled-target.ts';

const target = collectors.regionDiscovery!.target('production');
const collector = collectors.of(target);

const row = (Region: unknown, RegionState: unknown = 'AVAILABLE') => ({ Region, RegionState });
const answer = (rows: readonly unknown[], TotalCount: number | null = rows.length) => ({
  TotalCount,
  RegionSet: rows,
});
const regions = (...names: readonly string[]) => answer(names.map((name) => row(name)));

it('the regions of an account are read once an hour, and in the next cycle while one is lacking or the poll failed', async () => {
  const polled = new PolledTarget(target);
  const needsPoll = (laterMs: number) => collector.needsPoll(polled.record, polled.nowMs + laterMs);
  expect(needsPoll(0)).toBe(true);

  await polled.poll(regions('ap-a', 'ap-b'));
  expect([needsPoll(0), needsPoll(3_600_000)]).toEqual([false, true]);
  await polled.poll(regions('ap-a'));
  expect(needsPoll(0)).toBe(true);
  await polled.poll(regions('ap-a'));
  expect(needsPoll(0)).toBe(false);
  await polled.poll(answer([]));
  expect(needsPoll(0)).toBe(true);
  expect(polled.metrics()).toEqual({
    cvm_regions_appeared_total: 0,
    cvm_regions_disappeared_total: 1,
    cvm_regions_replaced_total: 0,
  });
});
