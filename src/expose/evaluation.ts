/** Evaluates all published records and launches at one time. Metrics, page and JSON are projections of the result. */
import { mapWithYields } from '../model/yielding.ts';
import {
  judgeLaunches,
  type EvaluatedLaunch,
  type TargetFacts,
} from '../model/launches/judge-region.ts';
import { isFresh } from '../model/record.ts';
import { LastMemo, ObjectMemo } from '../model/memoize.ts';
import { thresholdsAt, type Thresholds } from '../model/thresholds.ts';
import type { MonitorView } from './monitor-view.ts';
import { groupByRegion, isUp, evaluateRecord, type EvaluatedRecord } from './evaluated-record.ts';
import { compareStates } from './display-state.ts';

export interface Evaluation {
  readonly nowMs: number;
  /** In the order of the configuration. */
  readonly targets: readonly EvaluatedRecord[];
  /** The worst first, those that are not judged last. */
  readonly launches: readonly EvaluatedLaunch[];
}

/** The view, and a function that evaluates it now. */
export interface Evaluator {
  readonly view: MonitorView;
  /** In a cluster, first reads what other daemons stored. */
  readonly evaluate: () => Promise<Evaluation>;
}

/**
 * Creates the evaluator that scrapes, pages and lists share. An evaluated record stays the same object until the record,
 * its freshness, the thresholds or `staleAfterMs` change, and the launches until one of the records changes. So the
 * callers can memoize by object what they make of them.
 */
export function createEvaluator(view: MonitorView): Evaluator {
  const evaluatedRecords = new ObjectMemo<EvaluatedRecord>();
  const judgedLaunches = new LastMemo<readonly EvaluatedLaunch[]>();
  const evaluate = async () => {
    await view.refresh?.();
    const nowMs = view.clock.now();
    const { collectors } = view;
    const staleAfterMs = view.staleAfterMs();
    const configured = view.thresholds();
    const thresholds = thresholdsAt(configured, nowMs);
    const targets = await mapWithYields(view.published.all(), (record) => {
      const isRecent = isFresh(record, nowMs, staleAfterMs);
      // Overrides only end, so their number says which ones are left.
      const basis = [isRecent, staleAfterMs, configured, thresholds.overrides.length];
      const options = { collectors, staleAfterMs, thresholds, nowMs };
      return evaluatedRecords.of(record, basis, () => evaluateRecord(record, options));
    });
    const launches = judgedLaunches.of(targets, () => evaluateLaunches(targets, thresholds));
    return { nowMs, targets, launches };
  };
  return { view, evaluate };
}

/**
 * Judges the launches of the regions that have a target of stock. `check` calls it after its polls.
 *
 * @param thresholds without the overrides that have ended
 * @returns the worst first, those that are not judged last
 */
export function evaluateLaunches(
  all: readonly EvaluatedRecord[],
  thresholds: Pick<Thresholds, 'overrides'>,
): readonly EvaluatedLaunch[] {
  return groupByRegion(all)
    .flatMap((region) => judgeLaunches(region, region.targets.map(launchFactsOf), thresholds))
    .sort(
      // Infinity less Infinity is NaN, and then `0` makes them equal.
      (a, b) =>
        compareStates(a.state, b.state) || (a.headroom ?? Infinity) - (b.headroom ?? Infinity) || 0,
    );
}

function launchFactsOf(evaluated: EvaluatedRecord): TargetFacts {
  const { collector, isFresh: fresh, quotas, record, staleAfterMs } = evaluated;
  return {
    ...collector.launchFacts(record),
    isFresh: fresh,
    isUp: isUp(evaluated),
    quotas: quotas.map(({ quota }) => quota),
    observed: record.observed,
    staleAfterMs,
    reportable: collector.reportableQuotas(record.target),
  };
}
