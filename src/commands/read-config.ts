/** Reads the configuration of a command: from a file, or from standard input where the file is `-`. */
import { buffer } from 'node:stream/consumers';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { loadConfig, readConfigBytes, type Config } from '../config/config.ts';
import { unlessAborted } from '../model/async.ts';
import { InvalidFileError } from '../validation/problem.ts';

const standardInput = '-';

/** The name of a configuration file in messages. */
export function configName(file: string): string {
  return file === standardInput ? '<stdin>' : file;
}

export interface ReadConfigOptions {
  readonly collectors: CollectorSet;
  /** Reads a file. Defaults to {@link loadConfig}. */
  readonly load?: (file: string, collectors: CollectorSet) => Promise<Config>;
  /** Whether the file that `ca_file` names is read: false for a command that sends no request. */
  readonly readsFiles?: boolean;
  /** Gives up a read that may never end. */
  readonly signal?: AbortSignal;
}

/**
 * @throws InvalidFileError with every problem of the file; also when standard input was read before. Throws
 *   the reason of the signal after its abort
 */
export async function readConfig(file: string, options: ReadConfigOptions): Promise<Config> {
  const { collectors, readsFiles, signal = new AbortController().signal } = options;
  if (file !== standardInput) {
    const { load = (path) => loadConfig(path, collectors, readsFiles) } = options;
    return unlessAborted(load(file, collectors), signal);
  }
  try {
    return await unlessAborted(readStandardInput(options), signal);
  } finally {
    process.stdin.destroy();
  }
}

async function readStandardInput(options: ReadConfigOptions): Promise<Config> {
  const name = configName(standardInput);
  if (process.stdin.destroyed) {
    const message =
      'standard input cannot be read again: start the daemon again with the new configuration, or give it a file';
    throw new InvalidFileError(name, message);
  }
  const bytes = await buffer(process.stdin);
  return readConfigBytes(bytes, name, options.collectors, options.readsFiles);
}
