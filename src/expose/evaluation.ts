/** What is watched, at one time: metrics, page and JSON are projections of it. */
import { mapWithYields } from '../model/yielding.ts';
import { judgeLaunches, type LaunchRow, type PlaceFacts } from '../model/launches/judge-region.ts';
import { isFresh } from '../model/record.ts';
import { LastMemo, ObjectMemo } from '../model/memoize.ts';
import { thresholdsAt, type Thresholds } from '../model/thresholds.ts';
import type { MonitorView } from './monitor-view.ts';
import { byPlace, isUp, evaluateRecord, type EvaluatedRecord } from './evaluated-record.ts';
import { compareStates } from './severity.ts';

export interface Evaluation {
  readonly nowMs: number;
  /** In the order of the configuration. */
  readonly targets: readonly EvaluatedRecord[];
  readonly launches: readonly LaunchRow[];
}

/** What answers are made of. */
export interface Evaluator {
  readonly view: MonitorView;
  /** Evaluates every published record now, also those that other daemons wrote. */
  readonly evaluate: () => Promise<Evaluation>;
}

/**
 * What was found for a record is the same object until the record, its freshness or its thresholds change, and so are
 * the launches until one of these objects changes.
 */
export function createEvaluator(view: MonitorView): Evaluator {
  const ofRecords = new ObjectMemo<EvaluatedRecord>();
  const ofLaunches = new LastMemo<readonly LaunchRow[]>();
  const present = async () => {
    await view.refresh?.();
    const nowMs = view.clock.now();
    const { collectors } = view;
    const staleAfterMs = view.staleAfterMs();
    const configured = view.thresholds();
    const thresholds = thresholdsAt(configured, nowMs);
    const targets = await mapWithYields(view.published.all(), (record) => {
      const isRecent = isFresh(record, nowMs, staleAfterMs);
      const basis = [isRecent, staleAfterMs, configured, thresholds.overrides.length];
      const options = { collectors, staleAfterMs, thresholds, nowMs };
      return ofRecords.of(record, basis, () => evaluateRecord(record, options));
    });
    const launches = ofLaunches.of(targets, () => evaluateLaunches(targets, thresholds));
    return { nowMs, targets, launches };
  };
  return { view, evaluate: present };
}

/**
 * The launches of the regions whose stock is watched.
 *
 * @param thresholds without the overrides that have ended
 * @returns the worst first, those that are not judged last
 */
export function evaluateLaunches(
  all: readonly EvaluatedRecord[],
  thresholds: Pick<Thresholds, 'overrides'>,
): readonly LaunchRow[] {
  return byPlace(all)
    .flatMap((place) => judgeLaunches(place, place.targets.map(factsOf), thresholds))
    .sort(
      (a, b) => compareStates(a, b) || (a.headroom ?? Infinity) - (b.headroom ?? Infinity) || 0,
    );
}

function factsOf(watched: EvaluatedRecord): PlaceFacts {
  const { collector, isFresh, quotas, record, staleAfterMs } = watched;
  return {
    ...collector.launchFacts(record),
    isFresh,
    isUp: isUp(watched),
    quotas: quotas.map(({ quota }) => quota),
    observed: record.observed,
    staleAfterMs,
    reportable: collector.reportableQuotas(record.target),
  };
}
