import type { Logger } from '../log.ts';
import { messageOf } from '../model/errors.ts';
import type { Target } from '../model/target.ts';
import type { Store } from './store.ts';

const periodMs = 24 * 60 * 60 * 1_000;

/** Removes the records of targets that were removed long ago, at the start and once a day. */
export class Housekeeping {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #isLive: (target: Target) => boolean;
  #timer: NodeJS.Timeout | undefined;

  /** @param isLive whether a target is configured now. Its record then stays, also an old one */
  constructor(store: Store, logger: Logger, isLive: (target: Target) => boolean) {
    this.#store = store;
    this.#logger = logger;
    this.#isLive = isLive;
  }

  start(): void {
    void this.#run();
    this.#timer = setInterval(() => void this.#run(), periodMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #run(): Promise<void> {
    try {
      for (const file of await this.#store.removeGone(this.#isLive)) {
        this.#logger.info('record removed: its target has been gone for 30 days', { file });
      }
    } catch (error) {
      // Old records can wait for the next day.
      this.#logger.warn('old records were not removed', { reason: messageOf(error) });
    }
  }
}
