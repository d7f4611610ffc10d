/** Reads and validates the configuration from a file or a text, for the commands; and warns about a valid one. */
import type { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { HungCallError, type BoundedCalls } from '../bounded-calls.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { parseYaml, readYamlFile } from '../validation/read-yaml.ts';
import { configSchema } from './schema.ts';

export type Config = Readonly<z.output<ReturnType<typeof configSchema>>>;
export type ClusterConfig = NonNullable<Config['cluster']>;

/**
 * Reads a configuration file, and the file that `ca_file` names.
 *
 * @param readsCaFile false for a command that sends no request: the file that `ca_file` names is not read
 * @throws InvalidFileError with every problem of the file
 */
export function loadConfig(file: string, collectors: CollectorSet, readsCaFile = true) {
  return readYamlFile(file, configSchema(collectors, readsCaFile));
}

/**
 * Reads a configuration file as {@link loadConfig} does, but ends if the file system hangs. The daemon uses it, because
 * it must go on polling while a reload waits.
 *
 * @throws InvalidFileError with every problem of the file, also when the file system does not answer in time
 */
export async function loadConfigWithDeadline(
  file: string,
  collectors: CollectorSet,
  fileCalls: BoundedCalls,
): Promise<Config> {
  try {
    return await fileCalls.run('configuration', file, () => loadConfig(file, collectors));
  } catch (error) {
    if (!(error instanceof HungCallError)) throw error;
    const message = `the file, or the one that api.ca_file names, cannot be read: check that its mount answers, then load it again (${error.message})`;
    throw new InvalidFileError(file, message);
  }
}

/**
 * Reads a configuration from a text, without the file that `ca_file` names.
 *
 * @param file the file name in problems
 * @throws InvalidFileError with every problem of the text
 */
export function parseConfig(text: string, file: string, collectors: CollectorSet): Config {
  return parseYaml(text, file, configSchema(collectors, false));
}

/** A URL without TLS whose host is not this machine. */
const unencrypted = /^(http|redis):\/\/(?!(localhost|127(\.\d+){3}|\[::1\])(:|\/|$))/;

/** Warns about what leaves this machine without encryption: `check-config` prints it, the daemon logs and shows it. */
export function networkWarnings(config: Pick<Config, 'accounts' | 'api' | 'cluster'>): string[] {
  const { accounts, api, cluster } = config;
  const isSigned = accounts.some(({ credentials }) => credentials.type !== 'none');
  const ofRequests = 'signed requests travel without encryption; write https://';
  const ofRecords = 'the password and the records travel without encryption; write rediss://';
  // A URL is `false`, `null` or `undefined` if nothing secret goes there, or the key is absent.
  const urls = [
    ['api.endpoint', isSigned && api.endpoint, ofRequests],
    ['api.sts_endpoint', isSigned && api.stsEndpoint, ofRequests],
    ['cluster.redis.url', cluster?.url, ofRecords],
  ] as const;
  return urls.flatMap(([key, url, danger]) =>
    url && unencrypted.test(url) ? `${key} is ${url}: ${danger}` : [],
  );
}
