/** A reload follows its configuration in one step, whatever the storage and the polls do. */
import { expect, test } from 'vitest';
import { accountOf, startWatch } from '../support/monitor.ts';
import { startService, type Service } from '../support/service.ts';

const counter = 'cvm_quota_limit_changes_total';

async function serviceOf(regions: readonly string[]): Promise<Service> {
  const service = await startService();
  service.limitPerSecond = Infinity;
  for (const name of regions) service.region(name);
  return service;
}

test('what a reload adds and removes is shown in the same step, also while the storage hangs', async () => {
  const service = await serviceOf(['ap-a', 'ap-b', 'ap-c']);
  const watch = await startWatch({
    service,
    accounts: [accountOf('production', ['ap-a', 'ap-b'])],
  });
  service.region('ap-b').setLimit('postpaid', 'ap-b-3', 300);
  await watch.cycle();
  const regionsShown = async () => {
    const { targets } = (await watch.monitor.json('/api/v1/targets')) as {
      targets: { region: string }[];
    };
    return targets.map(({ region }) => region);
  };
  watch.disk.trouble = 'hangs';

  watch.accounts = [accountOf('production', ['ap-a', 'ap-c'])];
  await watch.monitor.daemon.reload();
  expect(await regionsShown()).toEqual(['ap-a', 'ap-c']);
  expect((await watch.samples()).value(counter, { region: 'ap-b' })).toBeUndefined();

  watch.accounts = [accountOf('production', ['ap-b', 'ap-c'])];
  await watch.monitor.daemon.reload();
  expect(await regionsShown()).toEqual(['ap-b', 'ap-c']);
  // The record comes from memory: the counter is there before any answer.
  const samples = await watch.samples();
  expect(samples.value(counter, { region: 'ap-b', direction: 'raised' })).toBe(1);
  await watch.disk.heal();
});

test('the feed keeps the changes of a target that is gone, and 20 of each target', async () => {
  const service = await serviceOf(['ap-a', 'ap-b']);
  const watch = await startWatch({
    service,
    accounts: [accountOf('production', ['ap-a', 'ap-b'])],
  });
  for (let n = 1; n <= 25; n += 1) {
    service.region('ap-a').setLimit('postpaid', 'ap-a-3', 200 + n);
    await watch.cycle();
  }
  service.region('ap-b').setLimit('postpaid', 'ap-b-3', 300);
  await watch.cycle();

  watch.accounts = [accountOf('production', ['ap-b'])];
  await watch.monitor.daemon.reload();
  const feed = await watch.feed();

  expect(feed).toHaveLength(21);
  expect(feed.at(0)).toBe('quota-limit-raised 205 → 206');
  expect(feed.at(-1)).toBe('quota-limit-raised 200 → 300');
  const next = await watch.restart();
  expect(await next.feed()).toEqual(feed);
});

test('a target that a reload removes while a second cycle waits for its answer is asked no more, and keeps its counters', async () => {
  const service = await serviceOf(['ap-a', 'ap-b']);
  const both = [accountOf('production', ['ap-a', 'ap-b'])];
  const watch = await startWatch({ service, accounts: both });
  service.region('ap-b').setLimit('postpaid', 'ap-b-3', 300);
  await watch.cycle();
  const asked = () => service.asked({ region: 'ap-b' }).length;
  const before = asked();
  const fault = service.fault({ region: 'ap-b', hangs: true });
  const due = () => {
    watch.monitor.clock.advance(60_000);
    watch.monitor.schedule.due();
  };
  due();
  await expect.poll(asked).toBe(before + 1);
  due();
  fault.end();

  watch.accounts = [accountOf('production', ['ap-a'])];
  await watch.monitor.daemon.reload();
  await watch.cycle();
  expect(asked()).toBe(before + 1);

  watch.accounts = both;
  await watch.monitor.daemon.reload();
  const samples = await watch.samples();
  expect(samples.value(counter, { region: 'ap-b', direction: 'raised' })).toBe(1);
});
