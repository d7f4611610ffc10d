/** Reads the configuration of a command: from a file, or from standard input where the file is `-`. */
import { buffer } from 'node:stream/consumers';
import type { CollectorSet } from '../../collectors/collector-set.ts';
import { loadConfig, readConfigBytes, type Config } from '../../config/config.ts';
import { InvalidFileError } from '../../validation/problem.ts';

const standardInput = '-';

/** The name of a configuration file in messages. */
export function configName(file: string): string {
  return file === standardInput ? '<stdin>' : file;
}

export interface ReadConfigOptions {
  readonly collectors: CollectorSet;
  /** Reads a file. Defaults to {@link loadConfig}. */
  readonly load?: (file: string, collectors: CollectorSet) => Promise<Config>;
  /** `null` leaves the file that `ca_file` names unread, for a command that sends no request. */
  readonly readAuthorities?: null;
  /** Ends a read of standard input, whose writer may never end. */
  readonly signal?: AbortSignal;
}

/**
 * @throws InvalidFileError with every problem of the file; also when standard input was read before. Throws
 *   the reason of the signal after its abort
 */
export async function readConfig(
  file: string,
  { collectors, load, readAuthorities, signal }: ReadConfigOptions,
): Promise<Config> {
  if (file !== standardInput) {
    return load === undefined
      ? loadConfig(file, collectors, readAuthorities)
      : load(file, collectors);
  }
  const name = configName(file);
  if (process.stdin.readableEnded) {
    const message =
      'standard input cannot be read again: start the daemon again with the new configuration, or give it a file';
    throw new InvalidFileError(name, [{ line: 1, column: 1, path: '', message }]);
  }
  const end = () => process.stdin.destroy();
  signal?.addEventListener('abort', end);
  try {
    return await readConfigBytes(await buffer(process.stdin), name, collectors, readAuthorities);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
