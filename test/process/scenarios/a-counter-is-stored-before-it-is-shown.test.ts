/** Store, then count: what /metrics shows as counted survives every end of the process. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { observe } from '../../support/observe.ts';
import { temporaryDirectory } from '../../support/directories.ts';
import { type Daemon, preload, watchService } from '../../support/program.ts';
import { startService } from '../../support/service.ts';

const raised = { quota_type: 'postpaid', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';

/** The stored records as an opaque text, without files that are being written. */
async function stored({ storagePath }: Daemon): Promise<string> {
  const names = await readdir(storagePath);
  const records = names.filter((name) => name.endsWith('.json')).toSorted();
  const texts = await Promise.all(records.map((name) => readFile(join(storagePath, name), 'utf8')));
  return texts.join('\n');
}

/** A daemon that has polled a raised limit, and stores it when the file of the hold is removed. */
async function startHeld() {
  const service = await startService();
  const region = service.region('ap-guangzhou');
  const holdFile = join(await temporaryDirectory(), 'hold');
  const daemon = await watchService(
    service,
    {},
    { nodeFlags: [preload('held-renames')], env: { HOLD_RENAMES: holdFile } },
  );
  await daemon.cycle();
  const before = await stored(daemon);
  await writeFile(holdFile, '');
  region.setLimit('postpaid', 'ap-guangzhou-3', 300);
  const sinceMs = performance.now();
  const isAnswered = () =>
    service.requests.some(({ atMs, outcome }) => atMs > sinceMs && outcome === 'ok');
  await expect.poll(isAnswered).toBe(true);
  return { daemon, holdFile, before };
}

test('A counter is not shown before the change is stored, and then it is', async () => {
  const { daemon, holdFile, before } = await startHeld();

  // A save that takes 2 s has failed, which is another story.
  const untilMs = performance.now() + 1_200;
  while (performance.now() < untilMs) {
    expect((await daemon.metrics()).value(counter, raised)).toBe(0);
  }
  expect(await stored(daemon)).toBe(before);
  expect(await daemon.feed()).toEqual([]);

  await rm(holdFile);
  await daemon.metricsWhen((samples) => samples.value(counter, raised) === 1);
  expect(await stored(daemon)).not.toBe(before);
  expect(await daemon.feed()).toEqual(['postpaid/ap-guangzhou-3: quota-limit-raised 200 → 300']);
  await observe(daemon, 'after it was stored');
});

test('A change whose save was killed is found again, and counted once', async () => {
  const { daemon, holdFile, before } = await startHeld();

  expect(await daemon.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await stored(daemon)).toBe(before);

  await rm(holdFile);
  daemon.spawn();
  await daemon.ready();
  for (let cycles = 0; cycles < 2; cycles += 1) {
    expect((await daemon.cycle()).value(counter, raised)).toBe(1);
  }
  await observe(daemon, 'after the next start');
});
