/** Runs reloads of the configuration one after the other, and keeps the last result. */
import type { Config } from '../config/config.ts';
import type { ReloadResult } from '../expose/monitor-view.ts';
import type { Logger } from '../log.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';

export interface ReloadsOptions {
  /** Rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
  /** Applies a loaded configuration. */
  readonly replace: (config: Config) => void;
}

interface LastReload {
  readonly successful: boolean;
  /** Time of the last load of a configuration: by a reload, or at the start. */
  readonly successMs: number;
  /** Why the last reload was refused; `null` if it was not. */
  readonly problem: string | null;
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
    this.#last = { successful: true, successMs: startedAtMs, problem: null };
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
    const { clock, isStopping, loadConfig, logger, replace } = this.#options;
    const loaded = await loadConfig().catch(messageOf);
    // Reading the file can take long. The result must not delay a stop, or start anything after it.
    if (isStopping()) return stopping;
    if (typeof loaded === 'string') {
      this.#last = { ...this.#last, successful: false, problem: loaded };
      logger.error('configuration not reloaded; the one before stays in force', { reason: loaded });
      return { ok: false, reason: loaded };
    }
    this.#last = { successful: true, successMs: clock.now(), problem: null };
    replace(loaded);
    return { ok: true };
  }
}
