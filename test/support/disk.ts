/**
 * Storage that a scenario lets hang, fail or fill up.
 *
 *     const disk = await orderedDisk();
 *     const daemon = await startDaemon({ config, ...disk.options });
 *     await disk.order('hang');                 // or a code such as 'EIO', which lets writes fail
 *     await disk.setFree();
 *     const volume = await smallVolume();       // a real file system of 1 MiB; null where it cannot be mounted
 */
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { directoryOfTest, type DaemonOptions } from './program.ts';

export interface OrderedDisk {
  readonly options: Pick<DaemonOptions, 'nodeFlags' | 'env' | 'directory'>;
  /** Calls wait (`hang`), or those that write fail with a code, until {@link OrderedDisk.setFree}. */
  readonly order: (order: string) => Promise<void>;
  readonly setFree: () => Promise<void>;
}

/** The storage of one daemon, which a test gives orders to. */
export async function orderedDisk(): Promise<OrderedDisk> {
  const directory = await directoryOfTest();
  const orders = join(await directoryOfTest(), 'orders');
  return {
    options: {
      directory,
      nodeFlags: [`--import=${new URL('disk.js', import.meta.url).href}`],
      env: { DISK_ROOT: join(directory, 'data'), DISK_ORDERS: orders },
    },
    order: (order) => writeFile(orders, order),
    setFree: () => rm(orders, { force: true }),
  };
}

export interface Volume {
  readonly path: string;
  /** Mounts it again with these options, such as `ro`. */
  readonly remount: (options: string) => void;
}

/** A file system of its own that ends with the test. Prints why where none can be mounted. */
export async function smallVolume(): Promise<Volume | null> {
  const path = await directoryOfTest();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    console.warn(`skipped: no file system can be mounted here: ${String(error)}`);
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', path]);
  });
  return {
    path,
    remount: (options) => {
      execFileSync('mount', ['-o', `remount,${options}`, path]);
    },
  };
}
