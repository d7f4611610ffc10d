/** File stores for tests. They belong to this process, or to a process that has ended. */
import { collectors } from '../../src/collectors/collectors.ts';
import { BoundedCalls } from '../../src/files/bounded-calls.ts';
import { openFileStore, type FileStoreOptions } from '../../src/state/file-store.ts';
import { nodeFileSystem, type FileSystem } from '../../src/state/file-system.ts';
import { describeThisProcess, type LockHolder } from '../../src/state/lock-holder.ts';
import type { Store } from '../../src/state/store.ts';

/** The time of every test: 2025-11-20T12:00:00Z. */
export const nowMs = 1_763_640_000_000;

/** Opens a store. By default, the test fails when the store loses its lock. */
export function openStore(
  directory: string,
  options: Partial<FileStoreOptions> = {},
): Promise<Store> {
  return openFileStore({
    directory,
    collectors,
    clock: { now: () => nowMs },
    calls: new BoundedCalls(),
    onLockLost: (error) => {
      throw error;
    },
    ...options,
  });
}

/** An earlier process with our process ID. Its lock is the lock of a dead process. */
export async function formerProcess(): Promise<LockHolder> {
  return { ...(await describeThisProcess(nowMs)), processStart: '1' };
}

/** A process of another machine. Only the time of its lock shows whether it is alive. */
export async function foreignProcess(): Promise<LockHolder> {
  return { ...(await describeThisProcess(nowMs)), bootId: 'another', host: 'elsewhere', pid: 1 };
}

/** A failed system call, in the form of Node.js. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as told by the test`), { code });
}

/** The file system of the machine. The calls in `failures` fail with a code. */
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
