/**
 * The cycle of an account: the order in which its targets are polled, which the daemon and `check` share, and how its
 * cycles went.
 */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import type { Target } from '../model/target.ts';

export interface WavesOptions {
  readonly collectors: CollectorSet;
  /** The targets of the account that are known now. The answers of a wave add further ones. */
  readonly targets: () => readonly Target[];
  /** Polls a target if necessary. Never rejects. */
  readonly visit: (target: Target) => Promise<void>;
}

/**
 * Visits every target of an account once. The targets of a region that the answers of others find follow them. No
 * region waits for another one: a host that does not answer delays only its own targets. Regions that are found
 * meanwhile are visited too.
 */
export async function visitInWaves({ collectors, targets, visit }: WavesOptions): Promise<void> {
  const begun = new Set<string>();
  const visitRegion = async (region: string) => {
    const here = () => targets().filter((each) => each.region === region);
    const known = here();
    const ended = new Map<string, Promise<unknown>>();
    for (const { follows, operation, regionDiscovery } of collectors.all) {
      const isAsked = (target: Target) => target.operation === operation;
      const before = follows.flatMap((each) => ended.get(each) ?? []);
      const mayHaveTargets = before.length > 0 || known.some(isAsked);
      if (regionDiscovery !== null || !mayHaveTargets) continue;
      const visitAll = () => Promise.all(here().filter(isAsked).map(visit));
      ended.set(operation, Promise.all(before).then(visitAll));
    }
    await Promise.all(ended.values());
  };
  const isFinder = (target: Target) => collectors.of(target).regionDiscovery !== null;
  const visitRegions = async () => {
    const regions = new Set(targets().flatMap((each) => (isFinder(each) ? [] : [each.region])));
    const added = [...regions].filter((region) => !begun.has(region));
    for (const region of added) begun.add(region);
    await Promise.all(added.map(visitRegion));
  };
  const finders = targets().filter(isFinder);
  await Promise.all([visitRegions(), Promise.all(finders.map(visit)).then(visitRegions)]);
}

/**
 * Why a due cycle of an account did not run: the last one had not ended, or the process was suspended, the clock was
 * set forward, or no daemon of a cluster could run it.
 */
export type SkipReason = 'overlap' | 'missed';

const messages: Readonly<Record<SkipReason, string>> = {
  overlap:
    'cycle is late: the previous one has not ended; only targets that it finished are polled',
  missed:
    'cycles missed: the process was suspended, the clock was set forward, or no daemon of the cluster could run them',
};

/** The cycles of an account since the daemon started. A reload of the configuration keeps them. */
export class CycleStats {
  completed = 0;
  readonly skipped: Record<SkipReason, number> = { overlap: 0, missed: 0 };
  lastDurationMs: number | null = null;
  /** When the last cycle began, in milliseconds since the Unix epoch. */
  lastStartedAtMs: number | null = null;
  readonly #account: string;
  readonly #logger: Logger;
  /** Whether the last cycle that was due came too late. */
  #isLate = false;

  constructor(account: string, logger: Logger) {
    this.#account = account;
    this.#logger = logger;
  }

  /** Cycles that were due did not run. Logged once while they are late. */
  skip(reason: SkipReason, runs: number): void {
    this.skipped[reason] += runs;
    if (reason === 'missed' || !this.#isLate) {
      this.#logger.warn(messages[reason], { account: this.#account, runs });
    }
    this.#isLate ||= reason === 'overlap';
  }

  /** @param isOnTime whether no other cycle was due while it ran */
  completedAfter(durationMs: number, isOnTime: boolean): void {
    this.completed += 1;
    this.lastDurationMs = durationMs;
    if (!this.#isLate || !isOnTime) return;
    this.#isLate = false;
    this.#logger.info('cycles run on schedule again', { account: this.#account });
  }
}
