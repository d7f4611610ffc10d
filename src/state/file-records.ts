import type { Step, Taken } from '../model/advance.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Target } from '../model/target.ts';
import { Housekeeping } from './housekeeping.ts';
import { RecordKeeper, type KeeperOptions } from './record-keeper.ts';
import type { Records } from './records.ts';
import type { Store } from './store.ts';

/** The records of a daemon alone, in the files of its storage directory. */
export class FileRecords implements Records {
  readonly #store: Store;
  readonly #keeper: RecordKeeper;
  readonly #housekeeping: Housekeeping;

  constructor(options: KeeperOptions) {
    this.#store = options.store;
    this.#keeper = new RecordKeeper(options);
    this.#housekeeping = new Housekeeping(options.store, options.logger, this.#isLive);
  }

  get failures(): number {
    return this.#keeper.failures;
  }

  get damaged(): number {
    return this.#keeper.damagedFiles;
  }

  get problem(): string | null {
    return this.#keeper.problem;
  }

  restore(targets: readonly Target[], apply?: () => void): Promise<void> {
    return this.#keeper.restore(targets, apply);
  }

  keep(target: Target, step: Step): Promise<Taken | null> {
    return this.#keeper.keep(target, step);
  }

  start(): void {
    this.#keeper.start();
    this.#housekeeping.start();
  }

  forgetGone(): void {
    this.#store.keepOnly(this.#isLive);
  }

  async close(): Promise<void> {
    this.#housekeeping.stop();
    await this.#keeper.flush();
    await this.#store.close();
  }

  reportLost(): readonly TargetRecord[] {
    return this.#keeper.reportLost();
  }

  readonly #isLive = (target: Target): boolean => this.#keeper.isLive(target);
}
