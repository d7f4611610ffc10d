/**
 * Storage that a scenario lets hang or fail.
 *
 *     const disk = await orderedDisk();
 *     const daemon = await startDaemon({ config, ...disk.options });
 *     await disk.order('hang');                 // or a code such as 'EIO', which lets writes fail
 *     await disk.setFree();
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from './directories.ts';
import { type DaemonOptions } from './program.ts';

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
      nodeFlags: [`--import=${new URL('ordered-disk.js', import.meta.url).href}`],
      env: { DISK_ROOT: join(directory, 'data'), DISK_ORDERS: orders },
    },
    order: (order) => writeFile(orders, order),
    setFree: () => rm(orders, { force: true }),
  };
}
