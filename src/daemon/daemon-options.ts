/** What a daemon is started with. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config, PollConfig } from '../config/config.ts';
import type { ListenAddress } from '../expose/web/listen-address.ts';
import type { Logger } from '../logging/logger.ts';
import type { BuildInfo } from '../model/build-info.ts';
import type { Schedule } from '../poll/schedule.ts';
import type { Surroundings } from './clients.ts';

export interface DaemonOptions extends Surroundings {
  /** The kinds of target, those that `loadConfig` reads; by default, every kind of this program. */
  readonly collectors?: CollectorSet;
  /** Reads the configuration, at the start and at each reload; rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  readonly listenAddress: ListenAddress;
  /** Whether `POST /-/reload` reloads; not by default. A call of `Daemon#reload` always does. */
  readonly enableLifecycle?: boolean;
  /** The directory of the records. */
  readonly storagePath: string;
  readonly build: BuildInfo;
  readonly logger: Logger;
  /** Ends a start that waits for the storage. */
  readonly signal: AbortSignal;
  /** Says when cycles are due; by default the cron expression of the configuration. */
  readonly createSchedule?: (poll: PollConfig) => Schedule;
  /** Called when the daemon cannot go on, because another one has taken over its storage. */
  readonly onFatal: (error: Error) => void;
}
