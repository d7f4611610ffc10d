/** Reads the configuration of a command: from a file, or from standard input if the file is `-`. */
import { buffer } from 'node:stream/consumers';
import { collectors } from '../collectors/collectors.ts';
import { loadConfig, type Config } from '../config/config.ts';
import { configSchema } from '../config/schema.ts';
import { unlessAborted } from '../model/async.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { readYaml } from '../validation/read-yaml.ts';

/** The value of `--config.file` for standard input. */
const standardInput = '-';

/** The name of a configuration file in messages. */
export function configName(file: string): string {
  return file === standardInput ? '<stdin>' : file;
}

interface ReadConfigOptions {
  /** Reads a file other than `-`. Defaults to {@link loadConfig}. */
  readonly load?: (file: string) => Promise<Config>;
  /** False for a command that sends no request: the file that `ca_file` names is not read. Defaults to true. */
  readonly readsCaFile?: boolean;
  /** Ends the wait for a read that may never end. */
  readonly signal?: AbortSignal;
}

/**
 * Reads and validates the configuration that `--config.file` names.
 *
 * @throws InvalidFileError with every problem of the file; also when standard input was read before
 * @throws the reason of the signal after its abort
 */
export async function readConfig(file: string, options: ReadConfigOptions = {}): Promise<Config> {
  // By default a signal that never aborts.
  const { readsCaFile = true, signal = new AbortController().signal } = options;
  const { load = (path) => loadConfig(path, collectors, readsCaFile) } = options;
  if (file !== standardInput) return unlessAborted(load(file), signal);
  const name = configName(file);
  if (process.stdin.destroyed) {
    const message =
      'standard input cannot be read again: start the daemon again with the new configuration, or give it a file';
    throw new InvalidFileError(name, message);
  }
  try {
    const bytes = await unlessAborted(buffer(process.stdin), signal);
    return await readYaml(bytes, name, configSchema(collectors, readsCaFile));
  } finally {
    process.stdin.destroy();
  }
}
