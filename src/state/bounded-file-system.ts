/** A file system that answers every call in a bounded time, also if the disk hangs. */
import type { BoundedCalls } from '../files/bounded-calls.ts';
import type { FileSystem } from './file-system.ts';

/**
 * The same file system. Every call ends in time.
 *
 * @throws HungCallError from a call that takes longer, and at once from every call while so many calls
 *   hang that no further one may begin
 */
export function boundFileSystem(fileSystem: FileSystem, calls: BoundedCalls): FileSystem {
  const run = <T>(path: string, call: () => Promise<T>) => calls.run('storage', path, call);
  return {
    makeDirectory: (path) => run(path, () => fileSystem.makeDirectory(path)),
    list: (path) => run(path, () => fileSystem.list(path)),
    read: (path, maxBytes) => run(path, () => fileSystem.read(path, maxBytes)),
    write: (path, text) => run(path, () => fileSystem.write(path, text)),
    link: (from, to) => run(to, () => fileSystem.link(from, to)),
    rename: (from, to) => run(to, () => fileSystem.rename(from, to)),
    remove: (path) => run(path, () => fileSystem.remove(path)),
    syncDirectory: (path) => run(path, () => fileSystem.syncDirectory(path)),
    modifiedAtMs: (path) => run(path, () => fileSystem.modifiedAtMs(path)),
    touch: (path, text) => run(path, () => fileSystem.touch(path, text)),
  };
}
