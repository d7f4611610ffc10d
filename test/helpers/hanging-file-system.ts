/** The file system of the machine. A test can block its calls. */
import { nodeFileSystem, type FileSystem } from '../../src/state/file-system.ts';

export interface HangingFileSystem {
  readonly fileSystem: FileSystem;
  /** Calls with these names wait until {@link release}. */
  readonly hold: (...names: readonly (keyof FileSystem)[]) => void;
  /** Continues the waiting calls, and blocks no further calls. */
  readonly release: () => void;
  /** The number of waiting calls. */
  readonly waiting: () => number;
}

export function hangingFileSystem(): HangingFileSystem {
  let held: ReadonlySet<string> = new Set();
  let waiting: (() => void)[] = [];
  const fileSystem = new Proxy(nodeFileSystem, {
    get(target, name: keyof FileSystem): unknown {
      const call = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (held.has(name)) await new Promise<void>((resolve) => waiting.push(resolve));
        return call(...args);
      };
    },
  });
  return {
    fileSystem,
    hold: (...names) => {
      held = new Set(names);
    },
    release: () => {
      held = new Set();
      for (const go of waiting.splice(0)) go();
      waiting = [];
    },
    waiting: () => waiting.length,
  };
}
