/** What a daemon with `regions: all` says about regions that refuse, or that join the list. */
import { expect, test } from 'vitest';
import { asked, changeAnswer } from '../support/emulator.ts';
import { accountOf, emulateWatched, startWatch } from '../support/monitor.ts';

const hourMs = 3_600_000;
const seoul = { region: 'ap-seoul', operation: 'DescribeAccountQuota' } as const;
const refusal = { effect: 'error', code: 'UnsupportedRegion', ...seoul } as const;

/** Asks for the list in each cycle of an hour. */
async function startRegions({ refuses = false, isListed = true } = {}) {
  const emulator = await emulateWatched('ap-guangzhou', 'ap-seoul');
  if (refuses) emulator.faults.add(refusal);
  if (!isListed) {
    changeAnswer(emulator, { Action: 'DescribeRegions' }, (fields) => {
      fields.RegionSet.length = fields.TotalCount = 1;
    });
  }
  const watch = await startWatch({ emulator, accounts: [accountOf('production', 'all')] });
  const value = async (name: string, labels = {}) => (await watch.samples()).value(name, labels);
  const page = async () => (await watch.get('/')).text();
  const hour = () => watch.cycle(hourMs);
  return { ...watch, hour, page, value };
}

test('a region that had answered and refuses is an ordinary failure', async () => {
  const { hour, emulator, value } = await startRegions();
  emulator.faults.add(refusal);

  await hour();
  await hour();

  expect(await value('cvm_monitor_target_up', seoul)).toBe(0);
  expect(await value('cvm_monitor_regions_left_out')).toBe(0);
});

test('a region that never answered is left out, tried again each hour, and comes back', async () => {
  const { cycle, emulator, hour, json, logged, page, value } = await startRegions({
    refuses: true,
  });
  const polls = () => asked(emulator, seoul).length;

  expect(await value('cvm_monitor_regions_left_out')).toBe(1);
  expect(await page()).toContain('ap-seoul of production');
  expect(await json('/api/v1/targets')).toMatchObject({
    regions_left_out: [{ account: 'production', region: 'ap-seoul' }],
  });
  await cycle(1_000);
  expect(polls()).toBe(1);
  await hour();
  await hour();
  expect(polls()).toBeGreaterThan(1);
  expect(logged('region left out')).toHaveLength(1);

  emulator.faults.clear();
  await hour();
  await hour();
  expect(await value('cvm_monitor_regions_left_out')).toBe(0);
  expect(await page()).not.toContain('ap-seoul of production');
  expect(await json('/api/v1/targets')).toMatchObject({ regions_left_out: [] });
  expect(await value('cvm_monitor_target_up', seoul)).toBe(1);
});

test('a region that is left out is logged again when it was not configured meanwhile', async () => {
  const { daemon, logged, present } = await startRegions({ refuses: true });

  for (const regions of [{ except: ['ap-seoul'] }, 'all' as const]) {
    present.accounts = [accountOf('production', regions)];
    await daemon.reload();
  }

  expect(logged('region left out')).toHaveLength(2);
});

test('a region that joins the list has appeared: counter, feed, log, and it is watched', async () => {
  const { feed, hour, lines, emulator, value } = await startRegions({ isListed: false });
  emulator.faults.clear();

  await hour();

  expect(await feed()).toEqual(['region-appeared null → ap-seoul']);
  expect(await value('cvm_regions_appeared_total')).toBe(1);
  expect(JSON.stringify(lines)).toContain('region-appeared');
  expect(await value('cvm_monitor_target_up', seoul)).toBe(1);
});
