/** The disk is full, read-only or hangs, and the process ends meanwhile: each change is counted once after. */
import { join } from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { orderedDisk, smallDisk } from '../../support/disks.ts';
import { setLimit } from '../../support/emulator.ts';
import { type Daemon, type DaemonOptions, startWatched } from '../../support/program.ts';

const raised = { quota_type: 'image', direction: 'raised' };
const counter = 'cvm_quota_limit_changes_total';
const unstored = 'records cannot be stored; polling goes on, changes are counted later';

/** A disk with a trouble that begins and ends. */
interface Troubled {
  readonly options: Partial<DaemonOptions>;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

async function ordered(order: string): Promise<Troubled> {
  const disk = await orderedDisk();
  return { options: disk.options, begin: () => disk.order(order), end: disk.setFree };
}

const troubles: readonly (readonly [string, () => Promise<Troubled | undefined>])[] = [
  [
    'is full',
    async () => {
      const disk = await smallDisk();
      if (disk === undefined) return undefined;
      const options = { storagePath: join(disk.directory, 'data') };
      return { options, begin: disk.fill, end: disk.free };
    },
  ],
  ['is read-only', () => ordered('EROFS')],
  ['hangs', () => ordered('hang')],
];

/** A daemon whose disk is in trouble. Skips the test where this machine cannot make such a disk. */
async function watched(prepareDisk: () => Promise<Troubled | undefined>, { skip }: TestContext) {
  const disk = (await prepareDisk()) ?? skip();
  const { emulator, daemon } = await startWatched({}, disk.options);
  await disk.begin();
  emulator.do(setLimit('image', 11));
  return { disk, daemon };
}

async function expectOneChange(daemon: Daemon): Promise<void> {
  await daemon.metricsWhen((each) => each.value(counter, raised) === 1);
  expect((await daemon.cycle()).value(counter, raised)).toBe(1);
  expect(await daemon.feed()).toEqual(['image: quota-limit-raised 10 → 11']);
}

test.for(troubles)(
  'A stop while the disk %s ends in time with 0, and the change is counted once by the next daemon',
  async ([, prepareDisk], context) => {
    const { disk, daemon } = await watched(prepareDisk, context);
    await daemon.logged(unstored);

    const beginMs = performance.now();
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - beginMs).toBeLessThan(10_000);
    await disk.end();
    daemon.spawn();
    await expectOneChange(daemon);
  },
);

test.for(troubles)(
  'A kill while the disk %s counts the change once after the next start',
  async ([, prepareDisk], context) => {
    const { disk, daemon } = await watched(prepareDisk, context);
    await daemon.logged(unstored);

    await daemon.stop('SIGKILL');
    await disk.end();
    daemon.spawn();
    await expectOneChange(daemon);
  },
);
