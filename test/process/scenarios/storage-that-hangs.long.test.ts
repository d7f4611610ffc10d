/** A storage that does not answer is one that fails: the daemon goes on, and ends when it is asked to. */
import { expect, test } from 'vitest';
import { orderedDisk } from '../../support/disks.ts';
import { configOf, startWatched } from '../../support/program.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';
const trouble = 'records cannot be stored; polling goes on, changes are counted later';

async function watched() {
  const disk = await orderedDisk();
  return { disk, ...(await startWatched({}, disk.options)) };
}

test('While storage hangs, polls, scrapes and reloads go on, and the change is counted once at its end', async () => {
  const { service, region, disk, daemon } = await watched();
  await disk.order('hang');
  region.setLimit('image', null, 11);
  await daemon.logged(trouble);

  const samples = await daemon.cycle();
  expect(samples.value('cvm_quota_limit', { quota_type: 'image' })).toBe(11);
  expect(samples.value('cvm_monitor_target_up')).toBe(1);
  service.region('ap-shanghai');
  const regions = ['ap-guangzhou', 'ap-shanghai'];
  expect(await daemon.reload(configOf(service, { regions }))).toBe(200);
  await daemon.metricsWhen(
    (each) => each.value('cvm_monitor_target_up', { region: 'ap-shanghai' }) === 1,
  );

  await disk.setFree();
  await daemon.metricsWhen(
    (each) => each.value(counter, { ...raised, region: 'ap-guangzhou' }) === 1,
  );
  await daemon.logged('records are stored again');
  await daemon.restart();
  expect((await daemon.cycle()).value(counter, { ...raised, region: 'ap-guangzhou' })).toBe(1);
});

test('A stop while storage hangs ends in time, and the change is counted once by the next daemon', async () => {
  const { region, disk, daemon } = await watched();
  await disk.order('hang');
  region.setLimit('image', null, 11);
  await daemon.logged(trouble);

  const beginMs = performance.now();
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - beginMs).toBeLessThan(10_000);
  await disk.setFree();
  daemon.spawn();
  await daemon.metricsWhen((each) => each.value(counter, raised) === 1);
  expect((await daemon.cycle()).value(counter, raised)).toBe(1);
});

test('A kill while storage hangs counts the change once after the next start', async () => {
  const { region, disk, daemon } = await watched();
  await disk.order('hang');
  region.setLimit('image', null, 11);
  await daemon.logged(trouble);

  await daemon.stop('SIGKILL');
  await disk.setFree();
  daemon.spawn();
  await daemon.metricsWhen((each) => each.value(counter, raised) === 1);
  expect((await daemon.cycle()).value(counter, raised)).toBe(1);
  expect(await daemon.feed()).toEqual(['image: quota-limit-raised 10 → 11']);
});
