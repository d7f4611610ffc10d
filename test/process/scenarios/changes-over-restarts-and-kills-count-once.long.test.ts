/** Whatever ends the process, and whenever: each change of the service is counted once, and none is invented. */
import { expect, test } from 'vitest';
import { emulateRegions, regionOf, setLimit, templateWith } from '../../support/emulator.ts';
import { type Daemon, startWatched, watchEmulator } from '../../support/program.ts';

async function counted(daemon: Daemon) {
  const samples = await daemon.cycle();
  const limits = (direction: string) =>
    samples.value('cvm_quota_limit_changes_total', { direction });
  return {
    raised: limits('raised'),
    lowered: limits('lowered'),
    default: samples.value('cvm_launch_template_default_version_changes_total'),
  };
}

test('Changes while no daemon runs count once, as one difference', async () => {
  const launch_templates = [{ id: 'lt-b8v1kcyq', ...templateWith(1, 1, 2, 3) }];
  const emulator = await emulateRegions(regionOf('ap-guangzhou', { launch_templates }));
  const daemon = await watchEmulator(emulator, {
    account: { quota_types: ['postpaid'] },
    regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
  });
  expect(await counted(daemon)).toEqual({ raised: 0, lowered: 0, default: 0 });

  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  emulator.do(setLimit('postpaid', 300));
  emulator.do(setLimit('postpaid', 400));
  const template = { region: 'ap-guangzhou', template_id: 'lt-b8v1kcyq' };
  emulator.do({ do: 'set-default-version', ...template, version: 2 });
  daemon.spawn();
  await daemon.ready();

  expect(await counted(daemon)).toEqual({ raised: 1, lowered: 0, default: 1 });
  const feed = await daemon.feed();
  expect(feed.toSorted()).toEqual([
    'lt-b8v1kcyq: default-version-changed 1 → 2',
    'postpaid/ap-guangzhou-3: quota-limit-raised 200 → 400',
  ]);

  await daemon.restart();
  expect(await counted(daemon)).toEqual({ raised: 1, lowered: 0, default: 1 });
  expect(await daemon.feed()).toEqual(feed);
});

test('A counter that is there after a start is the one from before, at the first scrape that has it', async () => {
  const { emulator, daemon } = await startWatched({ account: { quota_types: ['postpaid'] } });
  emulator.do(setLimit('postpaid', 300));
  expect(await counted(daemon)).toMatchObject({ raised: 1 });

  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT'] as const) {
    await daemon.stop(signal);
    daemon.spawn();
    const name = 'cvm_quota_limit_changes_total';
    const first = await daemon.metricsWhen((samples) => samples.matching(name).length > 0);
    expect(first.value(name, { direction: 'raised' })).toBe(1);
  }
});

test('Since when a launch is blocked is what was found first, after each end of the process', async () => {
  const data = { InstanceType: 'S5.LARGE8', InstanceCount: 501 };
  const versions = [{ version: 1, data }];
  const launch_templates = [{ id: 'lt-b8v1kcyq', default_version: 1, versions }];
  const daemon = await watchEmulator(
    await emulateRegions(regionOf('ap-guangzhou', { launch_templates })),
    {
      account: { quota_types: ['postpaid'], launches: true },
      regions: [{ name: 'ap-guangzhou', launch_templates: ['lt-b8v1kcyq'] }],
    },
  );
  const since = async () => {
    const { launches } = (await daemon.json('/api/v1/launches')) as {
      launches: { blocked_since: string }[];
    };
    return launches[0]?.blocked_since;
  };
  await daemon.cycle();
  const first = await since();
  expect(first).toMatch(/^20/);

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await daemon.stop(signal);
    daemon.spawn();
    await daemon.ready();
    await daemon.cycle();
    expect(await since()).toBe(first);
  }
});
