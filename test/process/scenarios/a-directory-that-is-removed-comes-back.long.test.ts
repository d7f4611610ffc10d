/** Someone removes the directory of a running daemon. It goes on, or ends and says why; no change is doubled. */
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { setLimit } from '../../support/emulator.ts';
import { startWatched } from '../../support/program.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';

test('After the directory was removed, the next daemon counts from what is known', async () => {
  const { emulator, daemon } = await startWatched();
  await daemon.cycle();
  await rm(daemon.storagePath, { recursive: true });
  emulator.do(setLimit('image', 11));

  // It notices that its lock is gone, or creates the directory again: either way, it never says 2.
  const exit = daemon.exited.then(() => 'ended');
  const counted = daemon.metricsWhen((each) => each.value(counter, raised) === 1);
  await Promise.race([exit, counted]).catch(() => 'ended');
  if (!daemon.hasExited) await daemon.stop();
  daemon.spawn();
  await daemon.ready();
  const samples = await daemon.cycle();
  expect(samples.value('cvm_quota_limit', { quota_type: 'image' })).toBe(11);
  expect(samples.value(counter, raised)).toBeLessThanOrEqual(1);
});
