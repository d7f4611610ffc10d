/** Loads the configuration again, one time after the other, and keeps the last result. */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import type { LastReload } from '../model/monitor-status.ts';
import type { ReloadResult } from '../model/monitor-status.ts';
import type { Plans } from './plans.ts';

export interface ReloadsOptions {
  /** Rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
  readonly plans: Pick<Plans, 'present' | 'configure'>;
}

const stopping: ReloadResult = { ok: false, reason: 'the daemon is stopping' };

export class Reloads {
  readonly #options: ReloadsOptions;
  #last: LastReload;
  /** Settles when the last requested reload has ended. A stop does not wait for it. */
  #running: Promise<unknown> = Promise.resolve();
  /** The reload that waits for its start. */
  #next: Promise<ReloadResult> | null = null;

  /** @param startedAtMs time of the first load of a configuration */
  constructor(options: ReloadsOptions, startedAtMs: number) {
    this.#options = options;
    this.#last = { successMs: startedAtMs, problem: null };
  }

  get last(): LastReload {
    return this.#last;
  }

  /** Reloads when the present reload has ended. Requests that wait for the same end share one reload. */
  request(): Promise<ReloadResult> {
    if (this.#next === null) {
      const next = this.#running.then(() => {
        this.#next = null;
        return this.#reload();
      });
      this.#next = next;
      this.#running = next.catch(() => undefined);
    }
    return this.#next;
  }

  async #reload(): Promise<ReloadResult> {
    const { clock, isStopping, logger } = this.#options;
    const loaded = await this.#load().catch(messageOf);
    // Reading the file can take long. The result must not delay a stop, or start anything after it.
    if (isStopping()) return stopping;
    if (typeof loaded === 'string') {
      this.#last = { ...this.#last, problem: loaded };
      logger.error('configuration not reloaded; the one before stays in force', { reason: loaded });
      return { ok: false, reason: loaded };
    }
    this.#last = { successMs: clock.now(), problem: null };
    this.#apply(loaded);
    return { ok: true };
  }

  /** Rejects when the file has another cluster: it is connected at the start only. */
  async #load(): Promise<Config> {
    const { loadConfig, plans } = this.#options;
    const config = await loadConfig();
    if (isDeepStrictEqual(config.cluster, plans.present.config.cluster)) return config;
    throw new Error('`cluster` cannot be changed by a reload: restart the daemon to change it');
  }

  #apply(config: Config): void {
    const { logger, plans } = this.#options;
    if (isDeepStrictEqual(config, plans.present.config)) {
      logger.info('configuration is unchanged');
      return;
    }
    plans.configure(config);
    logger.info('configuration reloaded', { targets: plans.present.targets.length });
  }
}
