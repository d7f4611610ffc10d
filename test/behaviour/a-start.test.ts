/** What a start does with what is stored, and what answers meanwhile. */
import { cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emulateRegions, setLimit } from '../support/emulator.ts';
import { recordingLogger } from '../support/loggers.ts';
import { type Watch, accountOf, restart, startWatch } from '../support/monitor.ts';
import { TroubledDisk } from '../support/troubled-disk.ts';

const raised = { direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';

async function raise({ cycle, emulator }: Watch, limit: number): Promise<void> {
  emulator.do(setLimit('postpaid', limit));
  await cycle();
}

test('the port listens before the storage is read: alive, not ready, and without metrics', async () => {
  const disk = new TroubledDisk();
  disk.trouble = 'hangs';
  const { lines, logger } = recordingLogger();
  const starting = startWatch({ disk, logger });
  const serving = () => lines.find(({ message }) => message === 'serving')?.fields.url as string;
  await expect.poll(serving).toBeDefined();
  const statusOf = async (path: string) => (await fetch(serving() + path)).status;

  const paths = ['/-/healthy', '/-/ready', '/metrics', '/', '/api/v1/quotas'];
  expect(await Promise.all(paths.map(statusOf))).toEqual([200, 503, 503, 503, 503]);
  await disk.heal();
  await starting;
  expect(await Promise.all(['/-/ready', '/metrics'].map(statusOf))).toEqual([200, 200]);
});

test('only the user of the daemon reads what is stored', async () => {
  const watch = await startWatch();
  const directory = join(watch.directory, 'data');
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  const files = await readdir(directory);

  expect(await modeOf(directory)).toBe('700');
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(await modeOf(join(directory, file))).toBe('600');
});

test('one line for each account says whether its first cycle worked, and no later cycle has one', async () => {
  const { lines, logger } = recordingLogger();
  const { cycle } = await startWatch({ logger });
  await cycle();

  const first = lines.filter(({ message }) => message === 'first cycle ended');

  expect(first.map(({ fields }) => fields)).toEqual([
    {
      account: expect.any(String) as string,
      targets: expect.any(Number) as number,
      answered: expect.any(Number) as number,
    },
  ]);
  expect(first[0]?.fields.answered).toBe(first[0]?.fields.targets);
});

test.each([
  ['EACCES', false],
  ['EIO', false],
  ['hangs', true],
])(
  'a storage that cannot be read (%s) ends the start, and says what to do, before the port listens unless it hangs',
  async (trouble, listens) => {
    const todo = 'see that its volume answers and has room, and that the daemon may write there';
    const disk = new TroubledDisk();
    disk.trouble = trouble;

    const { lines, logger } = recordingLogger();
    const starting = startWatch({ disk, logger });

    await expect(starting).rejects.toMatchObject({
      name: 'StoreError',
      code: 'unreadable',
      message: expect.stringContaining(todo) as string,
    });
    expect(lines.some(({ message }) => message === 'serving')).toBe(listens);
  },
);

test.each<[string, (text: string) => string]>([
  ['is cut off', (text) => text.slice(0, text.length / 2)],
  ['is empty', () => ''],
  ['is overwritten', (text) => 'x'.repeat(text.length)],
  ['holds something else', () => '{"hello":"world"}'],
])(
  'a stored file that %s costs the counters of its target only, and is kept',
  async (_, damage) => {
    const regions = ['ap-damaged', 'ap-whole'];
    const emulator = await emulateRegions(...regions);
    const watch = await startWatch({ emulator, accounts: [accountOf('production', regions)] });
    for (const region of regions) emulator.do(setLimit('postpaid', 300, region));
    await watch.cycle();
    await watch.daemon.stop();
    const data = join(watch.directory, 'data');
    const file = (await readdir(data)).find((name) => name.includes('ap-damaged'))!;
    const damaged = damage(await readFile(join(data, file), 'utf8'));
    await writeFile(join(data, file), damaged);

    const next = await restart(watch);

    const samples = await next.samples();
    const counts = regions.map((region) => samples.value(counter, { ...raised, region }));
    expect(counts).toEqual([0, 1]);
    expect(samples.value('cvm_monitor_state_damaged_files_total')).toBe(1);
    const aside = (await readdir(data)).find((name) => name.includes('.damaged'))!;
    expect(await readFile(join(data, aside), 'utf8')).toBe(damaged);
  },
);

test('a clock that jumps forth and back costs no poll, counts nothing, and leaves gauges fresh', async () => {
  const watch = await startWatch();
  const { cycle, get, samples } = watch;
  await raise(watch, 300);
  const yearMs = 365 * 24 * 3_600_000;

  for (const jumpMs of [yearMs, -2 * yearMs, yearMs]) {
    await cycle(jumpMs);
    const all = await samples();
    expect(all.value('cvm_quota_limit')).toBe(300);
    expect(all.value('cvm_monitor_target_up')).toBe(1);
    expect(all.value(counter, raised)).toBe(1);
  }
  await raise(watch, 400);

  expect((await samples()).value(counter, raised)).toBe(2);
  expect(await watch.feed()).toHaveLength(2);
  expect((await get('/-/ready')).status).toBe(200);
});

test('a directory restored from a backup goes on with its counters, and what changed since is one difference', async () => {
  const watch = await startWatch();
  const { directory } = watch;
  await raise(watch, 300);
  // Of a running daemon: it has a lock, too.
  await cp(`${directory}/data`, `${directory}/backup`, { recursive: true });
  await raise(watch, 400);
  await raise(watch, 500);
  expect((await watch.samples()).value(counter, raised)).toBe(3);
  await watch.daemon.stop();
  await rm(`${directory}/data`, { recursive: true });
  await rename(`${directory}/backup`, `${directory}/data`);

  const next = await restart(watch);

  expect((await next.samples()).value(counter, raised)).toBe(2);
  expect(await next.feed()).toEqual([
    'quota-limit-raised 200 → 300',
    'quota-limit-raised 300 → 500',
  ]);
  expect(await readdir(`${directory}/data`)).toContain('lock.2');
});
