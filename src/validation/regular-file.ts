/** Reads files that must be regular ones: those of credentials, of `api.ca_file`, and the PEM files of a web configuration. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Without `O_NONBLOCK`, opening a named pipe waits for its writer. The process could not end meanwhile: Node.js waits for
 * its threads.
 */
const nonBlockingRead = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a whole file.
 *
 * @throws the error of the file system; for a directory, a pipe or a device an Error whose message only completes that of
 *   the caller, such as `… cannot be read: it is no regular file`
 */
export async function readRegularFile(path: string, encoding: 'utf8' | 'latin1'): Promise<string> {
  const file = await open(path, nonBlockingRead);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is no regular file');
    return await file.readFile(encoding);
  } finally {
    await file.close();
  }
}
