import type { Logger } from '../logging/logger.ts';
import type { Target } from '../model/target.ts';
import type { Store } from './store.ts';

const periodMs = 24 * 60 * 60 * 1_000;

/** Removes the records of targets that were removed long ago, at the start and once a day. */
export class Housekeeping {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #liveTargets: () => readonly Target[];
  #timer: NodeJS.Timeout | undefined;

  /** @param liveTargets the configured targets; their records stay, also old ones */
  constructor(store: Store, logger: Logger, liveTargets: () => readonly Target[]) {
    this.#store = store;
    this.#logger = logger;
    this.#liveTargets = liveTargets;
  }

  start(): void {
    void this.#run();
    this.#timer = setInterval(() => void this.#run(), periodMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #run(): Promise<void> {
    for (const file of await this.#store.removeGone(this.#liveTargets())) {
      this.#logger.info('record removed: its target has been gone for 30 days', { file });
    }
  }
}
