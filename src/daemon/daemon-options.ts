/** The options of a daemon, and what it has from its process. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config, PollConfig } from '../config/config.ts';
import type { Shard } from '../expose/metrics/shard.ts';
import type { WebOptions } from '../expose/server.ts';
import type { BoundedCalls } from '../bounded-calls.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';
import type { BuildInfo } from '../model/monitor-status.ts';
import type { Schedule } from '../schedule/timer.ts';

/** What belongs to the process: time, random numbers, environment variables, and its calls to file systems. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fileCalls: BoundedCalls;
}

export interface DaemonOptions extends Surroundings {
  /** The kinds of targets that `loadConfig` reads. Defaults to every kind of this program. */
  readonly collectors?: CollectorSet;
  /** Reads the configuration, at the start and at each reload. Rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  readonly web: WebOptions;
  /** Whether `POST /-/reload` is enabled. Defaults to false. `Daemon#reload` always works. */
  readonly enableLifecycle?: boolean;
  /** The accounts whose series `/metrics` has. Defaults to all. */
  readonly shard?: Shard | undefined;
  /** The directory of the records. */
  readonly storagePath: string;
  /** How often the lock of that directory is touched. Defaults to 3 s. */
  readonly touchMs?: number | undefined;
  readonly build: BuildInfo;
  readonly logger: Logger;
  /** Aborts a start that waits for the storage. */
  readonly signal: AbortSignal;
  /** The schedule of cycles. Defaults to the cron expression of the configuration. */
  readonly createSchedule?: (poll: PollConfig) => Schedule;
  /** Called when the daemon cannot continue, because another one has taken over its storage. */
  readonly onFatal: (error: Error) => void;
}
