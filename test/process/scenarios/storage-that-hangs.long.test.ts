/** While the storage does not answer, a stop and a kill lose no change. */
import { expect, test } from 'vitest';
import { orderedDisk } from '../../support/disks.ts';
import { startWatched } from '../../support/program.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';
const trouble = 'records cannot be stored; polling goes on, changes are counted later';

async function watched() {
  const disk = await orderedDisk();
  return { disk, ...(await startWatched({}, disk.options)) };
}

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
