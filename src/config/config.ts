/** Loads the configuration file, and translates it to the words of the program. */
import type { z } from 'zod';
import type { CollectorSet } from '../collectors/collector-set.ts';
import { HungCallError, type BoundedCalls } from '../files/bounded-calls.ts';
import type { LabelledAccount } from '../model/target.ts';
import type { Links } from '../model/links.ts';
import type { Thresholds } from '../model/thresholds.ts';
import { InvalidFileError } from '../validation/problem.ts';
import { parseYaml, readYaml, readYamlFile } from '../validation/read.ts';
import type { ApiConfig } from './api-schema.ts';
import type { clusterSchema } from './cluster-schema.ts';
import type { CronSchedule } from './cron-runs.ts';
import type { CredentialsConfig } from './credentials-schema.ts';
import { configSchema } from './schema.ts';
import type { PlannedAccount } from './targets.ts';
import { toThresholds } from './thresholds-schema.ts';

export interface PollConfig extends CronSchedule {
  readonly jitterMs: number;
  readonly staleAfterMs: number;
}

export interface AccountConfig extends LabelledAccount, PlannedAccount {
  readonly credentials: CredentialsConfig;
}

export type ClusterConfig = Readonly<z.output<typeof clusterSchema>>;

export interface Config {
  readonly poll: PollConfig;
  readonly api: ApiConfig;
  readonly thresholds: Thresholds;
  readonly links: Links;
  readonly accounts: readonly AccountConfig[];
  /** `null` for one daemon alone. */
  readonly cluster: ClusterConfig | null;
}

/**
 * Reads a configuration file, and the file that `ca_file` names.
 *
 * @param readsFiles whether `ca_file` is read; false for a command that sends no request
 * @throws InvalidFileError with every problem of the file
 */
export async function loadConfig(
  file: string,
  collectors: CollectorSet,
  readsFiles = true,
): Promise<Config> {
  return fromFile(await readYamlFile(file, configSchema(collectors, readsFiles)));
}

/**
 * Reads a configuration from the bytes of a file, and the file that `ca_file` names.
 *
 * @param file the file name in problems
 * @param readsFiles whether `ca_file` is read; false for a command that sends no request
 * @throws InvalidFileError with every problem of the file
 */
export async function readConfigBytes(
  bytes: Buffer,
  file: string,
  collectors: CollectorSet,
  readsFiles = true,
): Promise<Config> {
  return fromFile(await readYaml(bytes, file, configSchema(collectors, readsFiles)));
}

/**
 * Reads a configuration file in a bounded time, for a process that must go on if the file hangs.
 *
 * @throws InvalidFileError with every problem of the file, also when it does not answer in time
 */
export async function loadConfigInTime(
  file: string,
  collectors: CollectorSet,
  calls: BoundedCalls,
): Promise<Config> {
  try {
    return await calls.run('configuration', file, () => loadConfig(file, collectors));
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
  return fromFile(parseYaml(text, file, configSchema(collectors, false)));
}

function fromFile(file: z.output<ReturnType<typeof configSchema>>): Config {
  const { poll, api, thresholds, links, accounts, cluster = null } = file;
  return {
    poll: {
      expression: poll.schedule,
      timezone: poll.timezone,
      jitterMs: poll.jitter,
      staleAfterMs: poll.stale_after,
    },
    api,
    thresholds: toThresholds(thresholds, poll.timezone),
    links: { grafana: links.grafana ?? null, runbooks: links.runbooks ?? null },
    accounts,
    cluster,
  };
}
