import { targetKey } from '../model/target.ts';
import type { TargetRecord } from '../model/record.ts';
import type { Store } from './store.ts';

type Write = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** The part of a logger that keeping records needs. */
export interface KeeperLogger {
  readonly info: Write;
  readonly error: Write;
}

/**
 * Stores records on behalf of the poller, and takes a failing store upon itself: polling goes on,
 * the failure is logged once and counted, and what could not be stored is tried again with the next
 * record and at the end.
 */
export class RecordKeeper {
  readonly #store: Store;
  readonly #logger: KeeperLogger;
  /** The newest record of each target that is not known to be stored. */
  readonly #unsaved = new Map<string, TargetRecord>();
  /** The targets whose last attempt at storing failed. */
  readonly #failing = new Set<string>();
  #failures = 0;
  #problem: string | null = null;

  constructor(store: Store, logger: KeeperLogger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** How many times a record could not be stored. */
  get failures(): number {
    return this.#failures;
  }

  /** Why records cannot be stored at present; `null` while they can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Stores a record, and with it what could not be stored before. Never rejects. */
  async keep(record: TargetRecord): Promise<void> {
    const key = targetKey(record.target);
    this.#unsaved.set(key, record);
    if ((await this.#save(key)) && this.#failing.size > 0) await this.flush();
  }

  /** Tries once more to store what could not be stored. Never rejects. */
  async flush(): Promise<void> {
    await Promise.all([...this.#failing].map((key) => this.#save(key)));
  }

  /** Saves the newest record of a target, so that an older one never takes its place. */
  async #save(key: string): Promise<boolean> {
    const record = this.#unsaved.get(key);
    if (record === undefined) return true;
    try {
      await this.#store.save(record);
    } catch (error) {
      this.#failed(key, error);
      return false;
    }
    if (this.#unsaved.get(key) === record) this.#unsaved.delete(key);
    this.#failing.delete(key);
    if (this.#problem !== null && this.#failing.size === 0) {
      this.#logger.info('records are stored again', {});
      this.#problem = null;
    }
    return true;
  }

  #failed(key: string, error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (this.#problem === null) {
      this.#logger.error('records cannot be stored; polling goes on', { reason: problem });
    }
    this.#failures += 1;
    this.#failing.add(key);
    this.#problem = problem;
  }
}
