/** The present plan: the configured targets, and those that discovery found. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Config } from '../config/config.ts';
import { discoveredBy, isUnsupported, planTargets } from '../config/targets.ts';
import { trendStepMs } from '../config/trend-step.ts';
import type { Logger } from '../log.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import type { TargetRecord } from '../model/record.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { PollPlan } from '../poll/poll-plan.ts';
import type { Schedule } from '../poll/schedule.ts';

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
  readonly logger: Logger;
}

/** Owns the present plan. Replaces it after a reload or a discovery, one after the other. */
export class Plans {
  readonly #options: PlansOptions;
  #present: Plan;
  /** Targets in regions that do not offer their operation. They are tried again after the next discovery. */
  readonly #leftOut = new Set<string>();
  /** Those of them that were logged. */
  readonly #reported = new Set<string>();
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

  /** Replaces the plan if a poll found other targets or regions than the plan has. */
  async polled(record: TargetRecord): Promise<void> {
    const { discovery, regionDiscovery } = this.#options.collectors.of(record.target);
    if (discovery !== null) {
      const planned = this.#present.found.get(targetKey(record.target));
      if (!isDeepStrictEqual(discovery.finds(record), planned)) await this.#replan();
    } else if (regionDiscovery !== null && record.seen.freshness.failure === null) {
      this.#tryAgain(record.target.account);
      await this.#replan();
    }
  }

  /** Leaves a target out if its failure shows that its region does not offer the operation. */
  leavesOut(target: Target, code: string): boolean {
    const { collectors, logger } = this.#options;
    if (!isUnsupported(this.#present.config, collectors, { target, code })) return false;
    const key = targetKey(target);
    this.#leftOut.add(key);
    if (!this.#reported.has(key)) {
      this.#reported.add(key);
      const { account, region, operation } = target;
      logger.warn('region left out: it does not offer the operation', {
        account,
        region,
        operation,
      });
    }
    void this.#replan();
    return true;
  }

  #tryAgain(account: string): void {
    for (const key of this.#leftOut) if (key.startsWith(`${account}@`)) this.#leftOut.delete(key);
  }

  /** Replaces the plan if it is not up to date. Requests that wait for the same end share it. */
  #replan(): Promise<void> {
    const isUpToDate = ({ config, targets }: Plan) =>
      isDeepStrictEqual(this.#planOf(config).targets, targets);
    this.#waiting ??= this.#enqueue(async () => {
      this.#waiting = null;
      if (!isUpToDate(this.#present)) await this.#replace(this.#present.config);
    });
    return this.#waiting;
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
    const discovered = discoveredBy(published, collectors, this.#leftOut);
    const targets = planTargets(config, collectors, discovered);
    const finders = targets.filter((target) => collectors.of(target).discovery !== null);
    const found = new Map(finders.map((each) => [targetKey(each), discovered.targets(each)]));
    return { config, targets, found };
  }
}

/** What the poller needs of a plan. */
export function pollPlanOf({ config, found, targets }: Plan, schedule: Schedule): PollPlan {
  return {
    targets,
    found,
    schedule,
    jitterMs: config.poll.jitterMs,
    minDeadlineMs: config.api.timeoutMs,
    trendStepMs: trendStepMs(config.poll),
  };
}
