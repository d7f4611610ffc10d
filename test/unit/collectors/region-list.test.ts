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
const watchedBy = ({ record }: PolledTarget) => collector.regionDiscovery!.regions(record);

it.each<[string, object, readonly string[], number]>([
  [
    'those that are available',
    answer([row('ap-b'), row('ap-a'), row('ap-c', 'UNAVAILABLE')]),
    ['ap-a', 'ap-b'],
    0,
  ],
  [
    'those of an unknown state, or of one that is new',
    answer([row('ap-a', null), row('ap-b', 7), row('ap-c', 'NEW')]),
    ['ap-a', 'ap-b', 'ap-c'],
    0,
  ],
  ['one that occurs again', answer([row('ap-a'), row('ap-a')], 1), ['ap-a'], 0],
  [
    'one that may be available, and may not',
    answer([row('ap-a'), row('ap-a', 'UNAVAILABLE')], 1),
    ['ap-a'],
    1,
  ],
  ['those that can be read', answer([row('ap-a'), row('../x'), {}]), ['ap-a'], 2],
  ['fewer than the service counts', answer([row('ap-a')], 3), ['ap-a'], 1],
])('the regions of an account are %s', async (_what, fields, names, lacks) => {
  const polled = new PolledTarget(target);

  const { missing } = await polled.poll(fields);

  expect(watchedBy(polled)).toEqual(names);
  expect(missing).toHaveLength(lacks);
});

it.each([answer([]), answer([row('ap-a', 'UNAVAILABLE')]), { RegionSet: {} }])(
  'the regions of an account are not believed to be none: %j',
  async (fields) => {
    expect(await new PolledTarget(target).poll(fields)).toMatchObject({
      code: 'InvalidResponse',
    });
  },
);

it.each<[string, readonly object[], readonly (readonly string[])[], readonly string[]]>([
  [
    'one that appears',
    [regions('ap-a'), regions('ap-a', 'ap-b')],
    [[], ['region-appeared none → ap-b']],
    ['ap-a', 'ap-b'],
  ],
  ['one that a poll lacks', [regions('ap-a', 'ap-b'), regions('ap-a')], [[], []], ['ap-a', 'ap-b']],
  [
    'one that two polls lack',
    [regions('ap-a', 'ap-b'), regions('ap-a'), regions('ap-a')],
    [[], [], ['region-disappeared ap-b → none']],
    ['ap-a'],
  ],
  [
    'one that may be in an unreadable row',
    [regions('ap-a', 'ap-b'), answer([row('ap-a'), {}]), answer([row('ap-a'), {}])],
    [[], [], []],
    ['ap-a', 'ap-b'],
  ],
  [
    'others only',
    [regions('ap-a', 'ap-b'), regions('ap-c')],
    [[], ['list-replaced 2 → 1']],
    ['ap-c'],
  ],
])('the regions of an account change by %s', async (_what, answers, changes, names) => {
  const polled = new PolledTarget(target);

  expect(await polled.changesOf(answers)).toEqual(changes);
  const replaced = changes.flat().filter((each) => each.startsWith('list-replaced'));
  expect(polled.metrics().cvm_regions_replaced_total).toBe(replaced.length);
  expect(watchedBy(polled)).toEqual(names);
});

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
