/** Reads files that must be regular ones, such as keys and certificates. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Without `O_NONBLOCK`, opening a named pipe waits for its writer. The process could not end meanwhile: Node.js waits for
 * its threads.
 */
const nonBlockingRead = constants.O_RDONLY | constants.O_NONBLOCK;

/** @throws Error also for what is no regular file */
export async function readRegularFile(path: string, encoding: 'utf8' | 'latin1'): Promise<string> {
  const file = await open(path, nonBlockingRead);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is no regular file');
    return await file.readFile(encoding);
  } finally {
    await file.close();
  }
}
