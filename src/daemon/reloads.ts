/**
 * Reloads the configuration, one reload at a time, and keeps the last result for page and metrics. The daemon creates them;
 * SIGHUP (by `Daemon#reload`) and `POST /-/reload` request one.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import { coalesce } from '../model/async.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import type { LastReload, ReloadResult } from '../model/monitor-status.ts';

export interface ReloadsOptions {
  /** Rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  /** The configuration in force. */
  readonly config: () => Config;
  /** Puts a configuration in force that differs from the one in force. */
  readonly apply: (config: Config) => void;
  /** Aborts when the daemon stops. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** When the daemon loaded its first configuration: the last success until a reload. Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

const refusedByStop: ReloadResult = { ok: false, reason: 'the daemon is stopping' };

export function createReloads(options: ReloadsOptions) {
  const { apply, clock, config, loadConfig, logger, startedAtMs, stopping } = options;
  /** A box: the daemon reads `last` at each scrape, and a reload replaces it. */
  const results: { last: LastReload } = { last: { successMs: startedAtMs, problem: null } };
  /** Rejects for an invalid file, and when the file has another cluster: it is connected at the start only. */
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig();
    if (isDeepStrictEqual(loaded.cluster, config().cluster)) return loaded;
    throw new Error('`cluster` cannot be changed by a reload: restart the daemon to change it');
  };
  const reload = async (): Promise<ReloadResult> => {
    const loaded = await load().catch(messageOf);
    // Reading the file can take long. After a stop has begun, its result must start nothing.
    if (stopping.aborted) return refusedByStop;
    if (typeof loaded === 'string') {
      results.last = { ...results.last, problem: loaded };
      logger.error('configuration not reloaded; the one before stays in force', { reason: loaded });
      return { ok: false, reason: loaded };
    }
    results.last = { successMs: clock.now(), problem: null };
    if (isDeepStrictEqual(loaded, config())) logger.info('configuration is unchanged');
    else apply(loaded);
    return { ok: true };
  };
  return {
    /** `last` is the result of the last reload, before one that of the start. */
    results,
    /**
     * Reloads when the running reload has ended. Requests that wait for the same end share one reload. An invalid file is
     * a result, no rejection.
     */
    request: coalesce(reload),
  };
}
