/** The lock of a storage directory: who waits, who takes it over, and who gives way. */
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { orderedDisk } from '../support/disks.ts';
import { emulateRegions, setLimit } from '../support/emulator.ts';
import { configOf, preload, type Daemon, spawnDaemon, startDaemon } from '../support/program.ts';
import { quickLockProgram } from '../support/quick-lock.ts';

/** A lock is touched every 100 ms, and dead after 300 ms. */
const quickly = async () => ({ program: await quickLockProgram() });

async function setUp(regions = ['ap-guangzhou']) {
  const emulator = await emulateRegions(...regions);
  return { emulator, config: configOf(emulator, { regions }) };
}

const locksOf = async ({ storagePath }: Daemon) =>
  (await readdir(storagePath)).filter((name) => name.startsWith('lock.'));

test('of several newcomers to the lock of a killed daemon one wins, each time', async () => {
  const { config } = await setUp();
  const quick = await quickly();
  let holder = await startDaemon({ config, ...quick });
  const { storagePath } = holder;
  for (let round = 0; round < 5; round += 1) {
    await holder.stop('SIGKILL');
    const newcomers = await Promise.all(
      Array.from({ length: 4 }, () => spawnDaemon({ config, storagePath, ...quick })),
    );

    await expect
      .poll(() => newcomers.filter((each) => each.hasExited).length, { timeout: 60_000 })
      .toBe(3);
    const [winner] = newcomers.filter((each) => !each.hasExited);
    holder = winner!;
    await holder.ready();

    expect(newcomers.filter((each) => each.hasExited)).toHaveLength(3);
    for (const each of newcomers.filter(({ hasExited }) => hasExited)) {
      expect(await each.exited).toEqual({ code: 1, signal: null });
    }
    expect(await locksOf(holder)).toHaveLength(1);
  }
});

test('a newcomer that is killed while it takes over leaves two locks, and the next one starts', async () => {
  const { config } = await setUp();
  const quick = await quickly();
  const daemon = await startDaemon({ config, ...quick });
  await daemon.stop('SIGKILL');
  await writeFile(join(daemon.storagePath, 'lock.2'), '');

  daemon.spawn();
  await daemon.ready();

  expect(await locksOf(daemon)).toEqual(['lock.3']);
});

test('a suspended daemon that wakes up after a take-over exits 1, overwrites at most one record, and leaves the lock alone', async () => {
  const regions = Array.from({ length: 20 }, (_, n) => `ap-region-${n}`);
  const { config, emulator } = await setUp(regions);
  const quick = await quickly();
  const first = await startDaemon({ config, ...quick });
  // It is suspended while it has records to store.
  for (const name of regions) emulator.do(setLimit('image', 11, name));
  const polls = emulator.requests.total;
  await expect.poll(() => emulator.requests.total).toBeGreaterThan(polls);
  first.signal('SIGSTOP');

  const never = configOf(emulator, { regions, poll: { schedule: '0 0 1 1 *' } });
  const second = await startDaemon({ config: never, storagePath: first.storagePath, ...quick });
  const before = await second.records();
  first.signal('SIGCONT');

  expect(await first.exited).toEqual({ code: 1, signal: null });
  expect(first.everything()).toContain('is in use by');
  const after = await second.records();
  const overwritten = [...after].filter(([name, text]) => before.get(name) !== text);
  expect(overwritten.length).toBeLessThanOrEqual(1);
  expect(await locksOf(second)).toEqual(['lock.2']);
  await second.get('/metrics');
  expect(second.hasExited).toBe(false);
});

test('each exit that runs code removes its own lock: a mistake, a second signal, a port that is taken', async () => {
  const { config, emulator } = await setUp();
  const mistaken = await startDaemon({
    config,
    nodeFlags: [preload('mistake')],
    env: { MISTAKE: 'exception' },
  });
  mistaken.signal('SIGUSR2');
  expect((await mistaken.exited).code).toBe(1);
  expect(await locksOf(mistaken)).toEqual([]);

  const disk = await orderedDisk();
  const stopping = await startDaemon({ config, ...disk.options });
  // With a poll whose times it stores when it stops: it is over when the next one asks.
  const polls = emulator.requests.total;
  await expect.poll(() => emulator.requests.total).toBeGreaterThan(2 * polls);
  await disk.order('hang');
  stopping.signal('SIGTERM');
  await stopping.logged('stopping');
  expect((await stopping.stop('SIGTERM')).code).toBe(1);
  expect(await locksOf(stopping)).toEqual([]);

  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const refused = await spawnDaemon({
    config,
    storagePath: mistaken.storagePath,
    flags: [`--web.listen-address=127.0.0.1:${port}`],
  });
  expect((await refused.exited).code).toBe(1);
  expect(await locksOf(mistaken)).toEqual([]);
});
