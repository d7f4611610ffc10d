/** File stores for tests: opened in one line, as this process or as one that has since died. */
import { collectors } from '../../src/collectors/collectors.ts';
import { openFileStore, type FileStoreOptions } from '../../src/state/file-store.ts';
import { nodeFileSystem, type FileSystem } from '../../src/state/file-system.ts';
import { describeThisProcess, type LockHolder } from '../../src/state/lock-holder.ts';
import type { Store } from '../../src/state/store.ts';

/** When every test happens: 2025-11-20T12:00:00Z. */
export const nowMs = 1_763_640_000_000;

/** Opens a store that fails the test when it loses its lock, unless told what to do then. */
export function openStore(
  directory: string,
  options: Partial<FileStoreOptions> = {},
): Promise<Store> {
  return openFileStore({
    directory,
    collectors,
    clock: { now: () => nowMs },
    onLockLost: (error) => {
      throw error;
    },
    ...options,
  });
}

/** A process that had our pid before us: its lock is that of a dead one. */
export async function formerProcess(): Promise<LockHolder> {
  return { ...(await describeThisProcess(nowMs)), processStart: '1' };
}

/** A process of another machine, of which only the time of its lock can tell whether it lives. */
export async function foreignProcess(): Promise<LockHolder> {
  return { ...(await describeThisProcess(nowMs)), bootId: 'another', host: 'elsewhere', pid: 1 };
}

/** A system call's failure as Node reports it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as told by the test`), { code });
}

/** The file system of the machine, in which the calls named in `failures` fail with a code. */
export function failingFileSystem(failures: ReadonlyMap<keyof FileSystem, string>): FileSystem {
  return new Proxy(nodeFileSystem, {
    get(target, name: keyof FileSystem): unknown {
      const code = failures.get(name);
      return code === undefined
        ? Reflect.get(target, name)
        : () => Promise.reject(systemError(code));
    },
  });
}
