/** What is watched, at one time: metrics, page and JSON are projections of it. */
import { mapInTurns } from '../model/async.ts';
import { judgeLaunches, type LaunchRow, type PlaceFacts } from '../model/launches/judge-region.ts';
import { isFresh } from '../model/record.ts';
import { Remembered } from '../model/memoize.ts';
import { thresholdsAt, type Thresholds } from '../model/thresholds.ts';
import type { MonitorView } from './monitor-view.ts';
import { byPlace, isUp, watch, type Watched } from './evaluated-record.ts';
import { compareWords } from './severity.ts';

export interface Present {
  readonly nowMs: number;
  /** In the order of the configuration. */
  readonly targets: readonly Watched[];
  readonly launches: readonly LaunchRow[];
}

/** What answers are made of. */
export interface Source {
  readonly view: MonitorView;
  /** Evaluates every published record now, also those that other daemons wrote. */
  readonly watch: () => Promise<Present>;
}

/**
 * What was found for a record is the same object until the record, its freshness or its thresholds change, and so are
 * the launches until one of these objects changes.
 */
export function sourceOf(view: MonitorView): Source {
  const ofRecords = new Remembered<Watched>();
  const ofLaunches = new Remembered<readonly LaunchRow[]>();
  const present = async () => {
    await view.refresh?.();
    const nowMs = view.clock.now();
    const { collectors } = view;
    const staleAfterMs = view.staleAfterMs();
    const configured = view.thresholds();
    const thresholds = thresholdsAt(configured, nowMs);
    const targets = await mapInTurns(view.published.all(), (record) => {
      const isRecent = isFresh(record, nowMs, staleAfterMs);
      const basis = [isRecent, staleAfterMs, configured, thresholds.overrides.length];
      const options = { collectors, staleAfterMs, thresholds, nowMs };
      return ofRecords.of(record, basis, () => watch(record, options));
    });
    const launches = ofLaunches.of(view, targets, () => evaluateLaunches(targets, thresholds));
    return { nowMs, targets, launches };
  };
  return { view, watch: present };
}

/**
 * The launches of the regions whose stock is watched.
 *
 * @param thresholds without the overrides that have ended
 * @returns the worst first, those that are not judged last
 */
export function evaluateLaunches(
  all: readonly Watched[],
  thresholds: Pick<Thresholds, 'overrides'>,
): readonly LaunchRow[] {
  return byPlace(all)
    .flatMap((place) => judgeLaunches(place, place.targets.map(factsOf), thresholds))
    .sort((a, b) => compareWords(a, b) || (a.headroom ?? Infinity) - (b.headroom ?? Infinity) || 0);
}

function factsOf(watched: Watched): PlaceFacts {
  const { collector, isFresh, quotas, record, staleAfterMs } = watched;
  return {
    ...collector.launchFacts(record),
    isFresh,
    isUp: isUp(watched),
    quotas: quotas.map(({ quota }) => quota),
    seen: record.seen,
    staleAfterMs,
    reportable: collector.reportableQuotas(record.target),
  };
}
