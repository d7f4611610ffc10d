/** Quotas: each row of "What counts as a change" in docs/status-page.md, each in a region of its own. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { startWatched } from '../../support/program.ts';
import type { Region } from '../../support/service.ts';

type Act = (region: Region, zone: string) => unknown;
const still = { finds: [] as readonly string[], limit: 200, used: 40, raised: 0, lowered: 0 };

/** What happens, and what the next poll shows of postpaid. Each begins with a limit of 200, of which 40 are used. */
const rows = Object.entries<readonly [act: Act, due: Partial<typeof still>]>({
  'a limit is raised': [
    (region, zone) => region.setLimit('postpaid', zone, 300),
    { finds: ['quota-limit-raised 200 → 300'], limit: 300, raised: 1 },
  ],
  'a limit is lowered, below what is used': [
    (region, zone) => region.setLimit('postpaid', zone, 30),
    { finds: ['quota-limit-lowered 200 → 30'], limit: 30, lowered: 1 },
  ],
  'a limit is raised and lowered again before the next poll': [
    (region, zone) => region.setLimit('postpaid', zone, 300).setLimit('postpaid', zone, 200),
    {},
  ],
  'a limit is raised and lowered further before the next poll': [
    (region, zone) => region.setLimit('postpaid', zone, 300).setLimit('postpaid', zone, 150),
    { finds: ['quota-limit-lowered 200 → 150'], limit: 150, lowered: 1 },
  ],
  'used moves': [(region, zone) => region.setUsed('postpaid', zone, 199), { used: 199 }],
  'a month begins, and prepaid used falls to 0': [
    (region, zone) => region.setUsed('prepaid', zone, 0),
    {},
  ],
  'the limits of a region move: images and placement groups': [
    (region) => region.setLimit('image', null, 8).setLimit('disaster_recover_group', null, 20),
    {},
  ],
}).map(([name, [act, due]], n) => ({ name, act, due, region: `ap-row-${n + 1}` }));

test('What counts as a change of a quota: a higher limit is raised, a lower one is lowered', async () => {
  const { service, daemon } = await startWatched({ regions: rows.map(({ region }) => region) });
  const found = async () => {
    const samples = await daemon.cycle();
    const feed = await daemon.feed();
    return rows.map(({ name, region }) => {
      const labels = { region, quota_type: 'postpaid' };
      const counter = (direction: string) =>
        samples.value('cvm_quota_limit_changes_total', { ...labels, direction });
      return {
        name,
        finds: feed.filter((line) => line.startsWith(`postpaid/${region}-3`)),
        limit: samples.value('cvm_quota_limit', labels),
        used: samples.value('cvm_quota_used', labels),
        raised: counter('raised'),
        lowered: counter('lowered'),
      };
    });
  };
  expect(await found()).toEqual(rows.map(({ name }) => ({ name, ...still })));

  for (const { act, region } of rows) act(service.region(region), `${region}-3`);
  const all = rows.map(({ name, due, region }) => {
    const finds = (due.finds ?? []).map((change) => `postpaid/${region}-3: ${change}`);
    return { name, ...still, ...due, finds };
  });
  expect(await found()).toEqual(all);
  await observe(daemon, 'after all of it');

  await daemon.restart();
  expect(await found()).toEqual(all);
});

test('A limit that moves in each of three polls counts three times', async () => {
  const { region, daemon } = await startWatched();

  for (const limit of [300, 250, 260]) {
    region.setLimit('spotpaid', 'ap-guangzhou-3', limit);
    await daemon.cycle();
  }

  const of = { quota_type: 'spotpaid' };
  const samples = await daemon.metrics();
  const name = 'cvm_quota_limit_changes_total';
  expect(samples.value(name, { ...of, direction: 'raised' })).toBe(2);
  expect(samples.value(name, { ...of, direction: 'lowered' })).toBe(1);
  expect(await daemon.feed()).toEqual([
    'spotpaid/ap-guangzhou-3: quota-limit-raised 240 → 300',
    'spotpaid/ap-guangzhou-3: quota-limit-lowered 300 → 250',
    'spotpaid/ap-guangzhou-3: quota-limit-raised 250 → 260',
  ]);
});
