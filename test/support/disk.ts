/**
 * A disk of its own for a storage, which can be full. Only root may mount it.
 *
 *     const disk = await smallDisk();                       // undefined, with the reason printed, without root
 *     const daemon = await startDaemon({ config, storagePath: join(disk.directory, 'data') });
 *     await disk.fill();
 *     await disk.free();
 */
import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './directories.ts';

export interface SmallDisk {
  readonly directory: string;
  readonly isFull: () => boolean;
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
  let isFull = false;
  return {
    directory,
    isFull: () => isFull,
    fill: async () => {
      isFull = true;
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
    free: async () => {
      await rm(ballast, { force: true });
      isFull = false;
    },
  };
}
