/** The targets of the present plan: which of them were attempted, and which are due. */
import { isDeepStrictEqual } from 'node:util';
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Clock } from '../model/clock.ts';
import type { PublishedRecords } from '../model/published-records.ts';
import { targetKey, type Target } from '../model/target.ts';
import type { PollPlan } from './poll-plan.ts';

/** A watched target. A target with a changed configuration becomes a new one. */
export interface Watched {
  readonly target: Target;
  /** Ends the poll in flight when the target is removed or its configuration changes. */
  readonly ending: AbortController;
  isAttempted: boolean;
  /** The poll in flight. Resolves with whether it ended. A stop or a reload can abort it. */
  polling: Promise<boolean> | null;
}

export interface WatchListOptions {
  readonly collectors: CollectorSet;
  readonly published: PublishedRecords;
  readonly clock: Clock;
  /** Whether the polls of other daemons count as attempts. */
  readonly isShared: boolean;
}

export class WatchList {
  readonly #options: WatchListOptions;
  #plan: PollPlan;
  #watched: ReadonlyMap<string, Watched>;
  /** The keys of the targets that other targets found. */
  #foundKeys: ReadonlySet<string>;
  /** Whether every target had been attempted at some time. */
  #wasReady = false;

  constructor(plan: PollPlan, options: WatchListOptions) {
    this.#options = options;
    this.#plan = plan;
    this.#foundKeys = keysOf(plan.found);
    this.#watched = new Map(
      plan.targets.map((target) => [targetKey(target), newWatched(target, false)]),
    );
  }

  get plan(): PollPlan {
    return this.#plan;
  }

  /**
   * Applies another plan. Unchanged targets stay.
   *
   * @returns the targets to poll at once, and those that are replaced or gone
   */
  replace(plan: PollPlan) {
    this.#noteReadiness();
    const before = this.#watched;
    this.#plan = plan;
    this.#foundKeys = keysOf(plan.found);
    this.#watched = new Map(
      plan.targets.map((target) => {
        const key = targetKey(target);
        const known = before.get(key);
        const stays = known !== undefined && isDeepStrictEqual(known.target, target);
        return [key, stays ? known : newWatched(target, known?.isAttempted ?? false)];
      }),
    );
    const toPoll = [...this.#watched].filter(([key, watched]) => {
      const known = before.get(key);
      const isCutShort = known !== undefined && known !== watched && known.polling !== null;
      const isNew = known === undefined && (!this.#foundKeys.has(key) || this.needsPoll(watched));
      return isNew || isCutShort;
    });
    return {
      toPoll: toPoll.map(([, watched]) => watched),
      ended: [...before.values()].filter((known) => !this.has(known)),
    };
  }

  /** Ends the polls in flight. */
  end(): void {
    for (const { ending } of this.#watched.values()) ending.abort();
  }

  /**
   * Whether every target was attempted at least once since the start, and how many were. Targets that a
   * reload adds later do not change it.
   */
  readiness() {
    this.#noteReadiness();
    const all = [...this.#watched.values()];
    const attempted = all.filter((each) => this.wasAttempted(each)).length;
    return { isReady: this.#wasReady, attempted, targets: this.#watched.size };
  }

  get(target: Target): Watched | undefined {
    return this.#watched.get(targetKey(target));
  }

  /** Whether no other plan has replaced or removed it. */
  has(watched: Watched): boolean {
    return this.get(watched.target) === watched;
  }

  /** Whether this daemon attempted it, or another one that shares the cycles. */
  wasAttempted({ isAttempted, target }: Watched): boolean {
    if (isAttempted || !this.#options.isShared) return isAttempted;
    return (
      (this.#options.published.get(targetKey(target))?.seen.freshness.lastPoll ?? null) !== null
    );
  }

  needsPoll({ target }: Watched): boolean {
    const { clock, collectors, published } = this.#options;
    const record = published.get(targetKey(target));
    return record === undefined || collectors.of(target).needsPoll(record, clock.now());
  }

  /** The targets of a cycle. Those that another target finds follow it. */
  due(): readonly Watched[] {
    return [...this.#watched.values()].filter((each) => this.#isDue(each));
  }

  /** The targets of a cycle of an account. */
  dueOf(account: string): readonly Watched[] {
    return [...this.#watched.values()].filter(
      (each) => each.target.account === account && this.#isDue(each),
    );
  }

  #isDue(watched: Watched): boolean {
    if (this.#foundKeys.has(targetKey(watched.target))) return false;
    return !this.wasAttempted(watched) || this.needsPoll(watched);
  }

  #noteReadiness(): void {
    this.#wasReady ||= [...this.#watched.values()].every((each) => this.wasAttempted(each));
  }
}

function keysOf(found: PollPlan['found']): ReadonlySet<string> {
  return new Set([...found.values()].flatMap((targets) => targets.map(targetKey)));
}

function newWatched(target: Target, isAttempted: boolean): Watched {
  return { target, isAttempted, ending: new AbortController(), polling: null };
}
