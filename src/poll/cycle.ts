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
 * Visits every target of an account once: the lists of regions beside the regions that are known, then the regions that the
 * lists found. In a region, a kind is visited after the kinds that it `follows`, whose answers find its targets, and after
 * those that it `waitsFor`, whose answers say what it asks. These come before it in `collectors.all`. No region waits for
 * another one: a host that does not answer delays only its own targets. Never rejects.
 */
export async function visitInWaves(options: WavesOptions): Promise<void> {
  const { afterRegion, collectors, targets, visit } = options;
  const begunRegions = new Set<string>();
  const visitRegion = async (region: string) => {
    const targetsHere = () => targets().filter((target) => target.region === region);
    const initialTargets = targetsHere();
    /** By the operation of a kind: resolves when all its targets in the region were visited. */
    const visits = new Map<string, Promise<unknown>>();
    for (const { follows, operation, regionDiscovery, waitsFor } of collectors.all) {
      const isOfKind = (target: Target) => target.operation === operation;
      const visitsBefore = [...follows, ...waitsFor].flatMap((each) => visits.get(each) ?? []);
      const mayHaveTargets = visitsBefore.length > 0 || initialTargets.some(isOfKind);
      if (regionDiscovery !== null || !mayHaveTargets) continue;
      const visitKind = () => Promise.all(targetsHere().filter(isOfKind).map(visit));
      visits.set(operation, Promise.all(visitsBefore).then(visitKind));
    }
    await Promise.all(visits.values());
    await afterRegion?.(region);
  };
  const isRegionList = (target: Target) => collectors.of(target).regionDiscovery !== null;
  const visitNewRegions = async () => {
    const regions = targets().flatMap((target) => (isRegionList(target) ? [] : [target.region]));
    const added = [...new Set(regions)].filter((region) => !begunRegions.has(region));
    for (const region of added) begunRegions.add(region);
    await Promise.all(added.map(visitRegion));
  };
  const regionLists = targets().filter(isRegionList);
  await Promise.all([visitNewRegions(), Promise.all(regionLists.map(visit)).then(visitNewRegions)]);
}

/**
 * Why a due cycle of an account did not run: the last one had not ended, or the process was suspended, the clock was
 * set forward, or no daemon of a cluster could run it.
 */
export type SkipReason = 'overlap' | 'missed';

const skipMessages: Readonly<Record<SkipReason, string>> = {
  overlap:
    'cycle is late: the previous one has not ended; only targets that it finished are polled',
  missed:
    'cycles missed: the process was suspended, the clock was set forward, or no daemon of the cluster could run them',
};

/** Statistics of the cycles of an account since the daemon started. A reload of the configuration keeps them. */
export class CycleStats {
  /** Cycles that ran to their end. */
  completed = 0;
  /** Cycles that were due and did not run, by reason. */
  readonly skipped: Record<SkipReason, number> = { overlap: 0, missed: 0 };
  /** `null` before the first cycle has ended. */
  lastDurationMs: number | null = null;
  /** When the last cycle began, in milliseconds since the Unix epoch; `null` before the first one. */
  lastStartedAtMs: number | null = null;
  readonly #account: string;
  readonly #logger: Logger;
  /** Whether a cycle was due while another one ran, and none has ended on time since. */
  #isLate = false;

  constructor(account: string, logger: Logger) {
    this.#account = account;
    this.#logger = logger;
  }

  /**
   * Counts `runs` cycles that were due and did not run. Logs each call with `missed`; of those with `overlap` only the
   * first, until cycles are on time again.
   */
  countSkipped(reason: SkipReason, runs: number): void {
    this.skipped[reason] += runs;
    if (reason === 'missed' || !this.#isLate) {
      this.#logger.warn(skipMessages[reason], { account: this.#account, runs });
    }
    this.#isLate ||= reason === 'overlap';
  }

  /**
   * Counts a cycle that ran to its end.
   *
   * @param isOnTime whether no other cycle was due while it ran
   */
  countCompleted(durationMs: number, isOnTime: boolean): void {
    this.completed += 1;
    this.lastDurationMs = durationMs;
    if (!this.#isLate || !isOnTime) return;
    this.#isLate = false;
    this.#logger.info('cycles run on schedule again', { account: this.#account });
  }
}
