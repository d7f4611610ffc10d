/** Reloads of the configuration: one after the other, and how the last one ended. */
import type { Config } from '../config/config.ts';
import type { ReloadResult } from '../expose/monitor-view.ts';
import type { Logger } from '../logging/logger.ts';
import type { Clock } from '../model/clock.ts';
import { Episodes } from '../poll/episodes.ts';

export interface ReloadsOptions {
  /** Rejects with an InvalidFileError. */
  readonly loadConfig: () => Promise<Config>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
  /** Applies a configuration that was loaded. */
  readonly replace: (config: Config) => Promise<ReloadResult>;
}

interface LastReload {
  readonly successful: boolean;
  /** When a configuration was last loaded: by a reload, or at the start. */
  readonly successMs: number;
}

export const stopping: ReloadResult = { ok: false, reason: 'the daemon is stopping' };

export class Reloads {
  readonly #options: ReloadsOptions;
  /** Reloads that fail one after the other. */
  readonly #failed = new Episodes({ endLate: false });
  #last: LastReload;
  /** Settles when the reload that was asked for last has ended; a stop does not wait for it. */
  #running: Promise<unknown> = Promise.resolve();
  /** The reload that has not begun. */
  #next: Promise<ReloadResult> | null = null;

  /** @param startedAtMs when the first configuration was loaded */
  constructor(options: ReloadsOptions, startedAtMs: number) {
    this.#options = options;
    this.#last = { successful: true, successMs: startedAtMs };
  }

  get last(): LastReload {
    return this.#last;
  }

  /** Reloads once the reload under way has ended. Requests that wait for the same end share one reload. */
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
    const { clock, isStopping, loadConfig, replace } = this.#options;
    if (isStopping()) return stopping;
    let config: Config;
    try {
      config = await loadConfig();
    } catch (error) {
      // The storage is closed already.
      if (isStopping()) return stopping;
      return this.#fail(error instanceof Error ? error.message : String(error));
    }
    // Reading the file may have taken long. It must not delay a stop, nor start anything after it.
    if (isStopping()) return stopping;
    this.#last = { successful: true, successMs: clock.now() };
    this.#failed.forgetUnless(() => false);
    return replace(config);
  }

  #fail(reason: string): ReloadResult {
    const { clock, logger } = this.#options;
    this.#last = { ...this.#last, successful: false };
    const note = this.#failed.happened('', clock.now(), reason);
    if (note !== null) {
      const fields = { reason, reloads: note.count };
      logger.error('configuration not reloaded; the one before stays in force', fields);
    }
    return { ok: false, reason };
  }
}
