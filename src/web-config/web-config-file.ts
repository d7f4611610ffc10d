/** Keeps the web configuration of a file in force while the file changes. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { BoundedCalls } from '../files/bounded-calls.ts';
import type { WebConfigStatus } from '../expose/metrics/monitor-metrics.ts';
import type { Logger } from '../logging/logger.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/errors.ts';
import { parseWebConfig, readWebConfig, type WebConfigSources } from './load.ts';
import type { WebConfig } from './web-config.ts';

/** How often the files are read: a few small reads. */
const defaultRereadMs = 5_000;

/** How long files must stay as they are before they apply. */
const defaultSettleMs = 200;

export interface WebConfigFileOptions {
  /** The web configuration file. */
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the files are read. Defaults to 5 s. */
  readonly rereadMs?: number;
  /** How long they must stay as they are before they apply. Defaults to 200 ms. */
  readonly settleMs?: number;
  readonly calls: BoundedCalls;
}

/**
 * Reads the file, and the files that it names, again and again. They are not watched: mounted secrets are
 * replaced through links, and a watch does not see that. Files that cannot be read or used leave the last
 * good ones in force. Files that change between two readings are being written: their beginning may be valid,
 * and name no users.
 */
export class WebConfigFile {
  readonly #options: WebConfigFileOptions;
  #sources: WebConfigSources;
  #present: WebConfig;
  /** The last failure; `null` after a success. */
  #problem: string | null = null;
  #successMs: number;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: WebConfigFileOptions, sources: WebConfigSources) {
    this.#options = options;
    this.#sources = sources;
    this.#present = parseWebConfig(sources);
    this.#successMs = options.clock.now();
  }

  /**
   * @throws InvalidFileError with every problem
   * @throws HungCallError when a file does not answer in time
   */
  static async open(options: WebConfigFileOptions): Promise<WebConfigFile> {
    return new WebConfigFile(options, await read(options));
  }

  /** The last good configuration. */
  get present(): WebConfig {
    return this.#present;
  }

  get status(): WebConfigStatus {
    return {
      lastReloadSuccessful: this.#problem === null,
      lastReloadSuccessMs: this.#successMs,
    };
  }

  /** Begins to read the files again and again. `onChange` receives each new configuration. */
  watch(onChange: (config: WebConfig) => void): void {
    const { rereadMs = defaultRereadMs } = this.#options;
    this.#timer = setTimeout(() => {
      void this.#reread(onChange).finally(() => {
        if (this.#timer !== undefined) this.watch(onChange);
      });
    }, rereadMs).unref();
  }

  /** Stops reading the files. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #reread(onChange: (config: WebConfig) => void): Promise<void> {
    const { clock, file, logger, settleMs = defaultSettleMs } = this.#options;
    try {
      const sources = await read(this.#options);
      if (isDeepStrictEqual(sources, this.#sources) && this.#problem === null) return;
      await delay(settleMs, undefined, { ref: false });
      if (!isDeepStrictEqual(await read(this.#options), sources)) return;
      const next = parseWebConfig(sources);
      if ((next.tls === null) !== (this.#present.tls === null)) {
        throw new Error(`${file}: to switch TLS on or off, restart`);
      }
      this.#sources = sources;
      this.#present = next;
      this.#problem = null;
      this.#successMs = clock.now();
      onChange(next);
      logger.info('web configuration reloaded');
    } catch (error) {
      const reason = messageOf(error);
      if (reason === this.#problem) return;
      this.#problem = reason;
      logger.error('web configuration not reloaded; the one before stays in force', { reason });
    }
  }
}

function read({ calls, file }: WebConfigFileOptions): Promise<WebConfigSources> {
  return calls.run('configuration', file, () => readWebConfig(file));
}
