/** A disk of the daemon. A test can slow it down or let it fail, also when root runs the test. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryOfTest, type DaemonOptions } from './program.ts';

const fixture = new URL('../fixtures/process/ordered-disk.js', import.meta.url);

export interface OrderedDisk {
  /** The option that a daemon needs to use the disk. */
  readonly options: Pick<DaemonOptions, 'nodeFlags' | 'env'>;
  /** Renames wait until the disk is released. */
  readonly hold: () => Promise<void>;
  /** Each call takes 1.5 s and succeeds, until the disk is released. */
  readonly slowDown: () => Promise<void>;
  /** Writes fail with this code, such as `ENOSPC`, until the disk is released. */
  readonly fail: (code: string) => Promise<void>;
  /** Records cannot be opened, and fail with this code, such as `EMFILE`, until the disk is released. */
  readonly failReads: (code: string) => Promise<void>;
  readonly setFree: () => Promise<void>;
}

export async function orderedDisk(): Promise<OrderedDisk> {
  const orders = join(await directoryOfTest(), 'orders');
  return {
    options: { nodeFlags: [`--import=${fixture.href}`], env: { DISK_ORDERS: orders } },
    hold: () => writeFile(orders, 'hold'),
    slowDown: () => writeFile(orders, 'slow'),
    fail: (code) => writeFile(orders, code),
    failReads: (code) => writeFile(orders, `unreadable ${code}`),
    setFree: () => rm(orders),
  };
}
