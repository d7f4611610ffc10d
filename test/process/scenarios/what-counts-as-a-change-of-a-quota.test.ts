/** Quotas: each row of "What counts as a change" in docs/status-page.md, each in a region of its own. */
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { type Daemon, startWatched, watchService } from '../../support/program.ts';
import { startService, type Region } from '../../support/service.ts';

interface Row {
  readonly act: (region: Region, zone: string) => unknown;
  readonly finds: readonly string[];
  readonly limit: number;
  readonly used: number;
  readonly raised: number;
  readonly lowered: number;
}

const still = { finds: [], limit: 200, used: 40, raised: 0, lowered: 0 };

/** Each begins with a limit of 200, of which 40 are used. */
const rows: Readonly<Record<string, Row>> = {
  'a limit is raised': {
    ...still,
    act: (region, zone) => region.setLimit('postpaid', zone, 300),
    finds: ['quota-limit-raised 200 → 300'],
    limit: 300,
    raised: 1,
  },
  'a limit is lowered, below what is used': {
    ...still,
    act: (region, zone) => region.setLimit('postpaid', zone, 30),
    finds: ['quota-limit-lowered 200 → 30'],
    limit: 30,
    lowered: 1,
  },
  'a limit is raised and lowered again before the next poll': {
    ...still,
    act: (region, zone) => region.setLimit('postpaid', zone, 300).setLimit('postpaid', zone, 200),
  },
  'a limit is raised and lowered further before the next poll': {
    ...still,
    act: (region, zone) => region.setLimit('postpaid', zone, 300).setLimit('postpaid', zone, 150),
    finds: ['quota-limit-lowered 200 → 150'],
    limit: 150,
    lowered: 1,
  },
  'used moves': {
    ...still,
    act: (region, zone) => region.setUsed('postpaid', zone, 199),
    used: 199,
  },
  'a month begins, and prepaid used falls to 0': {
    ...still,
    act: (region, zone) => region.setUsed('prepaid', zone, 0),
  },
  'the limits of a region move: images and placement groups': {
    ...still,
    act: (region) => region.setLimit('image', null, 8).setLimit('disaster_recover_group', null, 20),
  },
};
const named = Object.entries(rows).map(([name, row], n) => ({
  name,
  row,
  region: `ap-row-${n + 1}`,
}));

async function found(daemon: Daemon): Promise<Record<string, unknown>> {
  const samples = await daemon.cycle();
  const feed = await daemon.feed();
  const entries = named.map(({ name, region }) => {
    const labels = { region, quota_type: 'postpaid' };
    const counter = (direction: string) =>
      samples.value('cvm_quota_limit_changes_total', { ...labels, direction });
    const prefix = `postpaid/${region}-3: `;
    return [
      name,
      {
        finds: feed
          .filter((line) => line.startsWith(prefix))
          .map((line) => line.slice(prefix.length)),
        limit: samples.value('cvm_quota_limit', labels),
        used: samples.value('cvm_quota_used', labels),
        raised: counter('raised'),
        lowered: counter('lowered'),
      },
    ] as const;
  });
  return Object.fromEntries(entries);
}

const withoutAct = ({ act: _act, ...rest }: Row) => rest;

test('What counts as a change of a quota: a higher limit is raised, a lower one is lowered', async () => {
  const service = await startService();
  for (const { region } of named) service.region(region);
  const daemon = await watchService(service, { regions: named.map(({ region }) => region) });
  expect(await found(daemon)).toEqual(Object.fromEntries(named.map(({ name }) => [name, still])));

  for (const { row, region } of named) row.act(service.region(region), `${region}-3`);
  const due = Object.fromEntries(named.map(({ name, row }) => [name, withoutAct(row)]));
  expect(await found(daemon)).toEqual(due);
  await observe(daemon, 'after all of it');

  await daemon.restart();
  expect(await found(daemon)).toEqual(due);
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
