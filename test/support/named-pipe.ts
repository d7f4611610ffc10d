/** A file that hangs: opening a named pipe waits until its other end is open too. */
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';

interface NamedPipe {
  /** Puts a regular file in its place, and ends the calls that wait for the pipe. */
  readonly replaceBy: (text: string) => Promise<void>;
  /** Ends the calls that wait for the pipe. Tells whether there was one. */
  readonly endReads: () => Promise<boolean>;
}

/** Puts a named pipe at a path, in place of what was there. */
export async function namedPipe(path: string): Promise<NamedPipe> {
  const pipe = `${path}.pipe`;
  execFileSync('mkfifo', [pipe]);
  await rename(pipe, path);
  const endReadsOf = async (file: string) => {
    try {
      // It fails while no process reads.
      await (await open(file, constants.O_WRONLY | constants.O_NONBLOCK)).close();
      return true;
    } catch {
      return false;
    }
  };
  return {
    replaceBy: async (text) => {
      await rename(path, pipe);
      await writeFile(path, text);
      await endReadsOf(pipe);
    },
    endReads: () => endReadsOf(path),
  };
}
