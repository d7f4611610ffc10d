/**
 * A disk of its own for a storage, which can be full. Only root may mount it.
 *
 *     const disk = await smallDisk();                       // undefined, with the reason printed, without root
 *     const daemon = await startDaemon({ config, storagePath: join(disk.directory, 'data') });
 *     await disk.fill();
 *     await disk.free();
 */
import { execFileSync } from 'node:child_process';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './directories.ts';
import { type DaemonOptions, preload } from './program.ts';

export interface SmallDisk {
  readonly directory: string;
  readonly fill: () => Promise<void>;
  readonly free: () => Promise<void>;
}

/** Mounts 1 MiB of memory until the test has finished. With `CI=true`, it is an error when that is not possible. */
export async function smallDisk(): Promise<SmallDisk | undefined> {
  const directory = await temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    console.warn(`without a full disk: no tmpfs can be mounted here (${String(error)})`);
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory]);
  });
  const ballast = join(directory, 'ballast');
  return {
    directory,
    fill: async () => {
      const file = await open(ballast, 'a');
      const block = Buffer.alloc(4096);
      try {
        for (;;) await file.write(block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(ballast, { force: true }),
  };
}

/**
 * Storage that a scenario lets hang or fail.
 *
 *     const disk = await orderedDisk();
 *     const daemon = await startDaemon({ config, ...disk.options });
 *     await disk.order('hang');                 // or a code such as 'EIO', which lets writes fail
 *     await disk.setFree();
 */

export interface OrderedDisk {
  readonly options: Pick<DaemonOptions, 'nodeFlags' | 'env' | 'directory'>;
  /** Calls wait (`hang`), or those that write fail with a code, until {@link OrderedDisk.setFree}. */
  readonly order: (order: string) => Promise<void>;
  readonly setFree: () => Promise<void>;
}

/** The storage of one daemon, which a test gives orders to. */
export async function orderedDisk(): Promise<OrderedDisk> {
  const directory = await temporaryDirectory();
  const orders = join(await temporaryDirectory(), 'orders');
  return {
    options: {
      directory,
      nodeFlags: [preload('ordered-disk')],
      env: { DISK_ROOT: join(directory, 'data'), DISK_ORDERS: orders },
    },
    order: (order) => writeFile(orders, order),
    setFree: () => rm(orders, { force: true }),
  };
}

/**
 * Renames of the storage of one daemon, which a test holds up.
 *
 *     const renames = await heldRenames();
 *     const daemon = await startDaemon({ config, ...renames.options });
 *     await renames.hold();                     // none begins
 *     await renames.release();
 */
export async function heldRenames() {
  const file = join(await temporaryDirectory(), 'hold');
  return {
    options: { nodeFlags: [preload('held-renames')], env: { HOLD_RENAMES: file } },
    hold: () => writeFile(file, ''),
    release: () => rm(file, { force: true }),
  };
}
