/** Two daemons on one directory would store over each other: the second one ends, and the first goes on. */
import { expect, test } from 'vitest';
import { emulateRegions, setLimit } from '../../support/emulator.ts';
import { configOf, spawnDaemon, startDaemon } from '../../support/program.ts';

test('A second daemon on a directory exits 1 and says that it is in use; the first one goes on', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  const config = configOf(emulator, {});
  const first = await startDaemon({ config });

  const second = await spawnDaemon({ config, storagePath: first.storagePath });
  // It listens meanwhile.
  await second.url();
  const sinceMs = performance.now();
  expect(await second.exited).toEqual({ code: 1, signal: null });
  // The lock is touched every 3 s, and looked at every 0.3 s.
  expect(performance.now() - sinceMs).toBeLessThan(4_000);
  expect(second.everything()).toContain(first.storagePath);
  expect(second.everything()).toContain(`in use by process ${first.pid} on host`);

  emulator.do(setLimit('image', 11));
  await first.cycle();
  expect(await first.feed()).toEqual(['image: quota-limit-raised 10 → 11']);
  expect(await first.stop()).toEqual({ code: 0, signal: null });
});
