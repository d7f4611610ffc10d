/** What a daemon with `regions: all` says about regions that refuse, or that join the list. */
import { expect, test } from 'vitest';
import { accountOf, startWatch } from '../support/monitor.ts';
import { startService } from '../support/service.ts';

const hourMs = 3_600_000;
const seoul = { region: 'ap-seoul', operation: 'DescribeAccountQuota' };
const refusal = { action: seoul.operation, region: seoul.region, error: 'UnsupportedRegion' };

/** Asks for the list in each cycle of an hour. */
async function startRegions({ refuses = false, names = ['ap-guangzhou', 'ap-seoul'] } = {}) {
  const service = await startService(...names);
  const fault = refuses ? service.fault(refusal) : null;
  const watch = await startWatch({ service, accounts: [accountOf('production', 'all')] });
  const value = async (name: string, labels = {}) => (await watch.samples()).value(name, labels);
  const page = async () => (await watch.monitor.get('/')).text();
  const hour = () => watch.cycle(hourMs);
  return { ...watch, fault, hour, page, value };
}

test('a region that had answered and refuses is an ordinary failure', async () => {
  const { hour, service, value } = await startRegions();
  service.fault(refusal);

  await hour();
  await hour();

  expect(await value('cvm_monitor_target_up', seoul)).toBe(0);
  expect(await value('cvm_monitor_regions_left_out')).toBe(0);
});

test('a region that never answered is left out, tried again each hour, and comes back', async () => {
  const { cycle, fault, hour, logged, monitor, page, service, value } = await startRegions({
    refuses: true,
  });
  const asked = () => service.asked({ action: seoul.operation, region: 'ap-seoul' }).length;

  expect(await value('cvm_monitor_regions_left_out')).toBe(1);
  expect(await page()).toContain('ap-seoul of production');
  expect(await monitor.json('/api/v1/targets')).toMatchObject({
    regions_left_out: [{ account: 'production', region: 'ap-seoul' }],
  });
  await cycle(1_000);
  expect(asked()).toBe(1);
  await hour();
  await hour();
  expect(asked()).toBeGreaterThan(1);
  expect(logged('region left out')).toHaveLength(1);

  fault?.end();
  await hour();
  await hour();
  expect(await value('cvm_monitor_regions_left_out')).toBe(0);
  expect(await page()).not.toContain('ap-seoul of production');
  expect(await monitor.json('/api/v1/targets')).toMatchObject({ regions_left_out: [] });
  expect(await value('cvm_monitor_target_up', seoul)).toBe(1);
});

test('a region that joins the list has appeared: counter, feed, log, and it is watched', async () => {
  const { feed, hour, lines, service, value } = await startRegions({ names: ['ap-guangzhou'] });
  service.region('ap-seoul');

  await hour();

  expect(await feed()).toEqual(['region-appeared null → ap-seoul']);
  expect(await value('cvm_regions_appeared_total')).toBe(1);
  expect(JSON.stringify(lines)).toContain('region-appeared');
  expect(await value('cvm_monitor_target_up', seoul)).toBe(1);
});
