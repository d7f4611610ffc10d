/** Store, then count: what /metrics shows as counted survives every end of the process. */
import { expect, test } from 'vitest';
import type { Emulator } from '../../../src/emulator/emulator.ts';
import { heldRenames } from '../../support/disks.ts';
import { setLimit } from '../../support/emulator.ts';
import { startWatched } from '../../support/program.ts';

const raised = { quota_type: 'postpaid', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';

async function start() {
  const renames = await heldRenames();
  const { emulator, daemon } = await startWatched({}, renames.options);
  await daemon.cycle();
  return { emulator, daemon, renames, before: await daemon.records() };
}

/** Resolves when a request that comes after this call is answered. */
async function answered({ requests }: Emulator): Promise<void> {
  const before = requests.total;
  await expect.poll(() => requests.total).toBeGreaterThan(before);
}

test('A counter is not shown before the change is stored, and then it is', async () => {
  const { emulator, daemon, renames, before } = await start();
  await renames.hold();
  emulator.do(setLimit('postpaid', 300));
  await answered(emulator);

  // A save that takes 2 s has failed, which is another story.
  const untilMs = performance.now() + 1_200;
  while (performance.now() < untilMs) {
    expect((await daemon.metrics()).value(counter, raised)).toBe(0);
  }
  expect(await daemon.records()).toEqual(before);
  expect(await daemon.feed()).toEqual([]);

  await renames.release();
  await daemon.metricsWhen((samples) => samples.value(counter, raised) === 1);
  expect(await daemon.records()).not.toEqual(before);
  // A list is at most a second old.
  await expect
    .poll(() => daemon.feed())
    .toEqual(['postpaid/ap-guangzhou-3: quota-limit-raised 200 → 300']);
});

test('A change whose save was killed is found again, and counted once', async () => {
  const { emulator, daemon, renames, before } = await start();
  await renames.hold();
  emulator.do(setLimit('postpaid', 300));
  await answered(emulator);

  expect(await daemon.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await daemon.records()).toEqual(before);

  await renames.release();
  daemon.spawn();
  await daemon.ready();
  for (let cycles = 0; cycles < 2; cycles += 1) {
    expect((await daemon.cycle()).value(counter, raised)).toBe(1);
  }
  // A list is at most a second old.
  await expect
    .poll(() => daemon.feed())
    .toEqual(['postpaid/ap-guangzhou-3: quota-limit-raised 200 → 300']);
});
