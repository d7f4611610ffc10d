/** SIGTERM ends the daemon with 0 within 10 seconds, whatever it does. A second signal ends it at once with 1. */
import { expect, test } from 'vitest';
import { orderedDisk } from '../../support/disks.ts';
import { emulateRegions, setLimit } from '../../support/emulator.ts';
import {
  configOf,
  type Daemon,
  spawnDaemon,
  startWatched,
  watchEmulator,
} from '../../support/program.ts';

async function endsInTime(daemon: Daemon, signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM') {
  const beginMs = performance.now();
  expect(await daemon.stop(signal)).toEqual({ code: 0, signal: null });
  expect(performance.now() - beginMs).toBeLessThan(10_000);
}

test('A daemon that has just begun to listen stops with 0', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  const daemon = await spawnDaemon({ config: configOf(emulator, {}) });
  await daemon.url();

  await endsInTime(daemon);
});

test('A daemon that waits for an answer stops with 0', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  emulator.faults.add({ effect: 'hang' });
  const daemon = await spawnDaemon({ config: configOf(emulator, {}) });
  await expect.poll(() => emulator.requests.total).toBeGreaterThan(0);

  await endsInTime(daemon);
});

test('A daemon that waits to try a request again stops with 0', async () => {
  const emulator = await emulateRegions('ap-guangzhou');
  emulator.faults.add({ effect: 'error', code: 'InternalError' });
  const daemon = await spawnDaemon({ config: configOf(emulator, { api: { max_attempts: 10 } }) });
  await expect.poll(() => emulator.requests.total).toBeGreaterThan(2);

  await endsInTime(daemon);
});

test('A daemon that waits for its next cycle stops with 0, at SIGINT too, and logs it', async () => {
  const { daemon } = await startWatched({ poll: { schedule: '0 0 1 1 *' } });

  await endsInTime(daemon, 'SIGINT');
  expect(daemon.log.filter(({ msg }) => msg === 'stopping')).toEqual([
    expect.objectContaining({ signal: 'SIGINT', level: 'info' }),
  ]);
});

test('A daemon that stores stops with 0 when its records are stored', async () => {
  const disk = await orderedDisk();
  const { emulator, daemon } = await startWatched({}, disk.options);
  await disk.order('hang');
  emulator.do(setLimit('image', 11));
  const asked = emulator.requests.total;
  await expect.poll(() => emulator.requests.total).toBeGreaterThan(asked + 1);
  daemon.signal('SIGTERM');
  await daemon.logged('stopping');
  await disk.setFree();

  expect(await daemon.exited).toEqual({ code: 0, signal: null });
  daemon.spawn();
  await daemon.metricsWhen((each) => each.sum('cvm_quota_limit_changes_total') === 1);
});

test('A daemon that reloads stops with 0', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `ap-region-${n}`);
  const emulator = await emulateRegions('ap-guangzhou', ...names);
  const daemon = await watchEmulator(emulator);
  await daemon.configure(configOf(emulator, { regions: names }));
  daemon.signal('SIGHUP');

  await endsInTime(daemon);
});

test('A second signal ends a daemon that is stopping at once, with 1', async () => {
  const disk = await orderedDisk();
  const { emulator, daemon } = await startWatched({}, disk.options);
  await disk.order('hang');
  emulator.do(setLimit('image', 11));
  await daemon.cycle();
  daemon.signal('SIGTERM');
  await daemon.logged('stopping');

  expect((await daemon.stop('SIGTERM')).code).toBe(1);
});
