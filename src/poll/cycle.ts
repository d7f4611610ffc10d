/** The cycle of an account: the order in which poller and `check` visit its targets, and the poller's statistics. */
import type { CollectorSet } from '../collectors/collector-set.ts';
import type { Logger } from '../log.ts';
import type { Target } from '../model/target.ts';

export interface WavesOptions {
  readonly collectors: CollectorSet;
  /** The targets of the account that are known now. The answers of a wave add further ones. */
  readonly targets: () => readonly Target[];
  /** Polls a target if necessary. Never rejects. */
  readonly visit: (target: Target) => Promise<void>;
  /** Called when all targets of a region were visited. Never rejects. */
  readonly afterRegion?: (region: string) => Promise<void>;
}

/**
 * Visits every target of an account once: first the lists of regions, then each region. In a region, a kind is visited
 * after the kinds that it follows, whose answers find its targets. No region waits for another one: a host that does not
 * answer delays only its own targets. Regions that are found meanwhile are visited too.
 */
export async function visitInWaves(options: WavesOptions): Promise<void> {
  const { afterRegion, collectors, targets, visit } = options;
  const begunRegions = new Set<string>();
  const visitRegion = async (region: string) => {
    /** The ends of the visits of the kinds, by operation. */
    const ends = new Map<string, Promise<unknown>>();
    for (const { follows, operation, regionDiscovery, waitsFor } of collectors.all) {
      if (regionDiscovery !== null) continue;
      const endsBefore = [...follows, ...waitsFor].flatMap((followed) => ends.get(followed) ?? []);
      const isHere = (target: Target) => target.operation === operation && target.region === region;
      const visitKind = () => Promise.all(targets().filter(isHere).map(visit));
      ends.set(operation, Promise.all(endsBefore).then(visitKind));
    }
    await Promise.all(ends.values());
    await afterRegion?.(region);
  };
  const listsRegions = (target: Target) => collectors.of(target).regionDiscovery !== null;
  const visitNewRegions = async () => {
    const regions = targets().flatMap((target) => (listsRegions(target) ? [] : [target.region]));
    const added = [...new Set(regions)].filter((region) => !begunRegions.has(region));
    for (const region of added) begunRegions.add(region);
    await Promise.all(added.map(visitRegion));
  };
  const lists = targets().filter(listsRegions);
  await Promise.all([visitNewRegions(), Promise.all(lists.map(visit)).then(visitNewRegions)]);
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

/** Statistics of the cycles of an account since the daemon started. A reload of the configuration keeps them. */
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

  /** Counts cycles that were due and did not run. Logs the first one while cycles are late, and each missed one. */
  skip(reason: SkipReason, runs: number): void {
    this.skipped[reason] += runs;
    if (reason === 'missed' || !this.#isLate) {
      this.#logger.warn(messages[reason], { account: this.#account, runs });
    }
    this.#isLate ||= reason === 'overlap';
  }

  /**
   * Counts a cycle that ran to its end.
   *
   * @param isOnTime whether no other cycle was due while it ran
   */
  completedAfter(durationMs: number, isOnTime: boolean): void {
    this.completed += 1;
    this.lastDurationMs = durationMs;
    if (!this.#isLate || !isOnTime) return;
    this.#isLate = false;
    this.#logger.info('cycles run on schedule again', { account: this.#account });
  }
}
