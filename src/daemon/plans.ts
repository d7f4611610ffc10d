/** The present plan: the configured targets, and those that discovery found. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import { foundIn, planTargets } from '../config/targets.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';

export interface Plan {
  readonly config: Config;
  readonly targets: readonly Target[];
  /** The targets that the answers of another target found, by the key of that target. */
  readonly found: ReadonlyMap<string, readonly Target[]>;
}

export interface PlansOptions {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  /** Publishes the records of targets, and calls `apply` in the same step. */
  readonly restore: (targets: readonly Target[], apply: () => void) => Promise<void>;
  /** Called when a plan took the place of another one, before any poll can end. */
  readonly onReplaced: (plan: Plan, before: Plan) => void;
  readonly isStopping: () => boolean;
}

/** Owns the present plan. Replaces it after a reload or a discovery, one after the other. */
export class Plans {
  readonly #options: PlansOptions;
  #present: Plan;
  /** Settles when the last requested replacement has ended. Never rejects. */
  #running: Promise<unknown> = Promise.resolve();
  /** The replacement after a discovery that waits for its start. */
  #waiting: Promise<void> | null = null;

  constructor(config: Config, options: PlansOptions) {
    this.#options = options;
    this.#present = this.#planOf(config);
  }

  get present(): Plan {
    return this.#present;
  }

  /** Replaces the plan by that of a configuration. */
  configure(config: Config): Promise<void> {
    return this.#enqueue(() => this.#replace(config));
  }

  /** Replaces the plan if a poll found other targets than the plan has. */
  async polled(record: TargetRecord): Promise<void> {
    const { discovery } = this.#options.collectors.of(record.target);
    const planned = this.#present.found.get(targetKey(record.target));
    if (discovery === null || isDeepStrictEqual(discovery.finds(record), planned)) return;
    this.#waiting ??= this.#enqueue(() => {
      this.#waiting = null;
      return this.#replace(this.#present.config);
    });
    await this.#waiting;
  }

  #enqueue(replace: () => Promise<void>): Promise<void> {
    const done = this.#running.then(replace);
    this.#running = done.catch(() => undefined);
    return done;
  }

  /** Repeats while the records that it restores find more targets. */
  async #replace(config: Config): Promise<void> {
    const { isStopping, onReplaced, restore } = this.#options;
    let plan: Plan;
    do {
      const next = this.#planOf(config);
      plan = next;
      try {
        await restore(next.targets, () => {
          if (isStopping()) return;
          const before = this.#present;
          this.#present = next;
          onReplaced(next, before);
        });
      } catch (error) {
        // A stop may have closed the storage before the records of new targets were read.
        if (!isStopping()) throw error;
        return;
      }
    } while (!isDeepStrictEqual(this.#planOf(config).targets, plan.targets));
  }

  #planOf(config: Config): Plan {
    const { collectors, published } = this.#options;
    const foundBy = foundIn(published, collectors);
    const targets = planTargets(config, collectors, foundBy);
    const finders = targets.filter((target) => collectors.of(target).discovery !== null);
    const found = new Map(finders.map((each) => [targetKey(each), foundBy(each)]));
    return { config, targets, found };
  }
}
