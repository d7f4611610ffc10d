/** A reload follows its configuration in one step, whatever the storage and the polls do. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asked, setLimit } from '../support/emulator.ts';
import {
  accountOf,
  emulateWatched,
  restart,
  startMonitor,
  startWatch,
} from '../support/monitor.ts';

const counter = 'cvm_quota_limit_changes_total';

test('what a reload adds and removes is shown in the same step, also while the storage hangs', async () => {
  const emulator = await emulateWatched('ap-a', 'ap-b', 'ap-c');
  const watch = await startWatch({
    emulator,
    accounts: [accountOf('production', ['ap-a', 'ap-b'])],
  });
  emulator.do(setLimit('postpaid', 300, 'ap-b'));
  await watch.cycle();
  const regionsShown = async () => {
    const { targets } = (await watch.json('/api/v1/targets')) as {
      targets: { region: string }[];
    };
    return targets.map(({ region }) => region);
  };
  watch.disk.trouble = 'hangs';

  watch.present.accounts = [accountOf('production', ['ap-a', 'ap-c'])];
  await watch.daemon.reload();
  expect(await regionsShown()).toEqual(['ap-a', 'ap-c']);
  expect((await watch.samples()).value(counter, { region: 'ap-b' })).toBeUndefined();

  watch.present.accounts = [accountOf('production', ['ap-b', 'ap-c'])];
  await watch.daemon.reload();
  expect(await regionsShown()).toEqual(['ap-b', 'ap-c']);
  // The record comes from memory: the counter is there before any answer.
  const samples = await watch.samples();
  expect(samples.value(counter, { region: 'ap-b', direction: 'raised' })).toBe(1);
  await watch.disk.heal();
});

test('a reload that changes a label alone redraws every series of the account, and counters keep their values', async () => {
  const emulator = await emulateWatched('ap-guangzhou');
  const accountWithLabels = (labels: Record<string, string>) => ({
    ...accountOf('production', ['ap-guangzhou']),
    credentials: { type: 'environment' as const },
    labels,
  });
  const watch = await startWatch({
    emulator,
    accounts: [accountWithLabels({ team: 'payments', env: 'old' })],
    env: { TENCENTCLOUD_SECRET_ID: 'id', TENCENTCLOUD_SECRET_KEY: 'key' },
  });
  emulator.do(setLimit('postpaid', 300, 'ap-guangzhou'));
  await watch.cycle();
  const seriesOfAccount = async () =>
    (await watch.samples()).all.filter(({ labels }) => labels.account !== undefined);
  const before = await seriesOfAccount();

  watch.present.accounts = [accountWithLabels({ env: 'new' })];
  await watch.daemon.reload();

  expect(before.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...['cvm_account_info', 'cvm_quota_used', 'cvm_quota_limit_changes_total'],
      ...['cvm_monitor_target_up', 'cvm_monitor_cycles_total', 'cvm_monitor_api_requests_total'],
      ...['cvm_monitor_credentials_failures_total', 'cvm_monitor_clock_skew_seconds'],
    ]),
  );
  const redrawn = before.map(({ labels: { env, team, ...labels }, ...sample }) => {
    expect([env, team]).toEqual(['old', 'payments']);
    return { ...sample, labels: { ...labels, env: 'new' } };
  });
  expect(await seriesOfAccount()).toEqual(redrawn);
  const raised = { direction: 'raised', env: 'new' };
  expect((await watch.samples()).value(counter, raised)).toBe(1);
});

test('alerts and page link to the runbooks of this version, until a reload names others', async () => {
  const links: { runbooks?: string } = {};
  const monitor = await startMonitor({
    config: ({ endpoint }) => ({
      api: { endpoint },
      links,
      accounts: [accountOf('production', ['ap-guangzhou'])],
    }),
  });
  const linked = async () =>
    (await monitor.samples()).matching('cvm_monitor_links_info').map(({ labels }) => labels);
  const before = await linked();

  links.runbooks = 'https://wiki.example.com/runbooks';
  await monitor.daemon.reload();

  const { homepage } = JSON.parse(readFileSync('package.json', 'utf8')) as { homepage: string };
  const ofVersion = `${homepage.split('#')[0]}/blob/vtest/docs/runbooks`;
  expect([before, await linked()]).toEqual([[{ runbooks: ofVersion }], [links]]);
});

test('the feed keeps the changes of a target that is gone, and 20 of each target', async () => {
  const emulator = await emulateWatched('ap-a', 'ap-b');
  const watch = await startWatch({
    emulator,
    accounts: [accountOf('production', ['ap-a', 'ap-b'])],
  });
  for (let n = 1; n <= 25; n += 1) {
    emulator.do(setLimit('postpaid', 200 + n, 'ap-a'));
    await watch.cycle();
  }
  emulator.do(setLimit('postpaid', 300, 'ap-b'));
  await watch.cycle();

  watch.present.accounts = [accountOf('production', ['ap-b'])];
  await watch.daemon.reload();
  const feed = await watch.feed();

  expect(feed).toHaveLength(21);
  expect(feed.at(0)).toBe('quota-limit-raised 205 → 206');
  expect(feed.at(-1)).toBe('quota-limit-raised 200 → 300');
  const next = await restart(watch);
  expect(await next.feed()).toEqual(feed);
});

test('a target that a reload removes while a second cycle waits for its answer is asked no more, and keeps its counters', async () => {
  const emulator = await emulateWatched('ap-a', 'ap-b');
  const both = [accountOf('production', ['ap-a', 'ap-b'])];
  const watch = await startWatch({ emulator, accounts: both });
  emulator.do(setLimit('postpaid', 300, 'ap-b'));
  await watch.cycle();
  const polls = () => asked(emulator, { region: 'ap-b' }).length;
  const before = polls();
  emulator.faults.add({ region: 'ap-b', effect: 'hang' });
  const due = () => {
    watch.clock.advance(60_000);
    watch.timer.due();
  };
  due();
  await expect.poll(polls).toBe(before + 1);
  due();
  emulator.faults.clear();

  watch.present.accounts = [accountOf('production', ['ap-a'])];
  await watch.daemon.reload();
  await watch.cycle();
  expect(polls()).toBe(before + 1);

  watch.present.accounts = both;
  await watch.daemon.reload();
  const samples = await watch.samples();
  expect(samples.value(counter, { region: 'ap-b', direction: 'raised' })).toBe(1);
});
