import type { Logger } from '../log.ts';
import type { DamagedFile } from './store.ts';

/** Counts and logs the stored files that hold no record. */
export class DamagedFiles {
  readonly #logger: Logger;
  /** Names of files that were found and could not be moved. They can be found again. */
  readonly #unmoved = new Set<string>();
  #count = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get count(): number {
    return this.#count;
  }

  found({ file, movedTo, reason }: DamagedFile): void {
    if (!this.#unmoved.delete(file)) this.#count += 1;
    if (movedTo === null) this.#unmoved.add(file);
    this.#logger.error('damaged record', { file, moved_to: movedTo, reason });
  }
}
